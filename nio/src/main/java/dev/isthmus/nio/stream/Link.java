// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.VerbsException;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.attributes.TransportType;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a stream is made of in C: a protection domain of its own, so that the keys which the peer is given reach nothing else,
 * a completion channel and queue, memory, and the queue pair of its connection id.
 */
final class Link {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");
    private static final AtomicBoolean TOLD = new AtomicBoolean(); // of the limit, once
    private static final int ENOMEM = 12;

    private final Service service;
    private final ConnectionId id;
    private final Deque<AutoCloseable> made = new ArrayDeque<>(); // the last is closed first
    private final ProtectionDomain pd;
    private final CompletionChannel channel;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private StreamOptions options;
    private Memory memory;

    /** Makes all that goes with an id that has a device. Blocks for some system calls. */
    Link(Service service, ConnectionId id, StreamOptions wanted) throws IOException {
        this.service = service;
        this.id = id;
        boolean complete = false;
        try {
            DeviceContext device = id.device();
            options = wanted.within(device.attributes().maxQpWr());
            pd = made(device.allocateProtectionDomain());
            memory = made(allocate());
            channel = made(device.createCompletionChannel());
            int entries = options.sendQueue() + options.receiveQueue() + ReceiveSide.SPARE;
            completions = made(device.createCompletionQueue(entries, config -> config.channel(channel)));
            queuePair = made(id.createQueuePair(
                    pd,
                    completions,
                    completions,
                    config -> config.maxSendWr(options.sendQueue())
                            .maxRecvWr(options.receiveQueue() + ReceiveSide.SPARE)
                            .maxSendSge(1)
                            .maxRecvSge(1)
                            .maxInline(options.inline())));
            if (isIwarp() && queuePair.capabilities().maxInline() < Memory.MESSAGE_BYTES) {
                throw new IOException(device + " sends nothing inline, as rsocket does on iWARP");
            }
            complete = true;
        } catch (RdmaException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    private <T extends AutoCloseable> T made(T object) {
        made.push(object);
        return object;
    }

    /** With rings as large as may be pinned. */
    private Memory allocate() throws IOException {
        while (true) {
            try {
                return Memory.allocate(pd, options);
            } catch (VerbsException e) {
                StreamOptions smaller = e.errno() == ENOMEM ? options.smaller() : null;
                if (smaller == null) {
                    throw new IOException("no memory can be pinned for a socket over RDMA: " + e.getMessage(), e);
                }
                if (TOLD.compareAndSet(false, true)) {
                    LOG.log(
                            Level.WARNING,
                            "a socket over RDMA wants to pin {0} bytes, and may not: from now on some have smaller buffers;"
                                    + " raise ulimit -l, or set isthmus.nio.sendBuffer and receiveBuffer to less ({1})",
                            options.sendBuffer() + options.receiveBuffer(),
                            e.getMessage());
                }
                options = smaller;
            }
        }
    }

    /** Gives all of it to whoever holds a lock. */
    void shareUnder(ReentrantLock lock) {
        completions.shareUnder(lock);
        queuePair.shareUnder(lock);
    }

    Service service() {
        return service;
    }

    ConnectionId id() {
        return id;
    }

    StreamOptions options() {
        return options;
    }

    Memory memory() {
        return memory;
    }

    CompletionChannel channel() {
        return channel;
    }

    CompletionQueue completions() {
        return completions;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    boolean isIwarp() {
        return id.device().device().transportType() == TransportType.IWARP;
    }

    /** Destroys all of it; what goes wrong is logged, as nobody is left who could do something about it. */
    void close() {
        while (!made.isEmpty()) {
            close(made.pop());
        }
        close(id);
    }

    private static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (Exception e) {
            LOG.log(Level.WARNING, () -> object + " cannot be closed", e);
        }
    }
}
