// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;

/**
 * The active message callback of one worker ({@code ucp_am_recv_callback_t}), the same for all ids, which are its
 * argument. UCX calls it inside a progress, and inside a send over the self transport, on the worker's thread. The
 * program's handler runs inside, as the message exists only then. An exception from it is kept for the next progress.
 */
final class AmDispatch {

    private static final byte OK = 0;
    private static final byte CANCELED = -16;
    private static final long RNDV = 1L << 17; // UCP_AM_RECV_ATTR_FLAG_RNDV

    private final AmOperations operations;
    private final WorkerCallbacks callbacks;
    private final UcpActiveMessage[] messages = new UcpActiveMessage[AmOperations.MAX_DEPTH + 1];
    private UcpActiveMessageHandler[] handlers = {};
    private boolean stopped;

    AmDispatch(AmOperations operations, WorkerCallbacks callbacks) {
        this.operations = operations;
        this.callbacks = callbacks;
        for (int i = 0; i < messages.length; i++) {
            messages[i] = new UcpActiveMessage(operations);
        }
    }

    MethodHandle target() {
        try {
            Class<?> number = long.class;
            MethodType type = MethodType.methodType(byte.class, number, number, number, number, number, number);
            return MethodHandles.lookup().bind(this, "onMessage", type);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a method of this class", e);
        }
    }

    boolean has(int id) {
        return id < handlers.length && handlers[id] != null;
    }

    /** Makes room for a handler, before C can call for it. */
    void reserve(int id) {
        if (id >= handlers.length) {
            handlers = Arrays.copyOf(handlers, Math.max(id + 1, 2 * handlers.length));
        }
    }

    void set(int id, UcpActiveMessageHandler handler) {
        handlers[id] = handler;
    }

    void stop() {
        stopped = true;
    }

    // Called by C. An exception that left it would end the JVM.
    @HotPath
    @SuppressWarnings("UnusedMethod") // by target()
    private byte onMessage(long id, long header, long headerLength, long data, long length, long param) {
        try {
            UcpActiveMessageHandler handler = handlers[(int) id];
            int depth = operations.depth();
            if (stopped || handler == null || (headerLength | length) < 0) {
                return drop(param);
            }
            UcpActiveMessage message = messages[depth];
            message.begin((int) id, header, headerLength, data, length, param);
            operations.depth(depth + 1);
            callbacks.enter();
            try {
                handler.onMessage(message);
            } catch (Throwable t) {
                message.failed();
                callbacks.addFailure(t);
            } finally {
                callbacks.leave();
                operations.depth(depth);
            }
            return message.end();
        } catch (Throwable t) {
            callbacks.replaceFailure(t);
            return OK;
        }
    }

    private static byte drop(long param) {
        return (NativeMemory.getLong(param) & RNDV) == 0 ? OK : CANCELED;
    }
}
