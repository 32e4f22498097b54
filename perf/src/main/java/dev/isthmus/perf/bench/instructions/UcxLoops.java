// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An endpoint and the worker that it leads to, and one thread's loops over them. They have twins in {@code ucx.c}, line
 * by line: change both.
 */
final class UcxLoops implements UcxProgram.Loops {

    static final int MAX_BYTES = 4096;

    private static final long TAG = 7;

    private final Arena arena = Arena.ofConfined();
    private final UcpContext context;
    private final UcpWorker sender;
    private final UcpWorker receiver;
    private final UcpEndpoint endpoint;
    private final MemorySegment outgoing = arena.allocate(MAX_BYTES, MAX_BYTES);
    private final MemorySegment incoming = arena.allocate(MAX_BYTES, MAX_BYTES);
    private final UcxFeatureLoops others;

    private int bytes;

    UcxLoops(UcxRow.Transport transport) {
        context = UcpContext.create(config -> config.set("TLS", transport.transports()));
        sender = context.createWorker();
        receiver = transport == UcxRow.Transport.SELF ? sender : context.createWorker();
        endpoint = sender.createEndpoint(receiver.address());
        others = new UcxFeatureLoops(transport, arena);
    }

    @Override
    public Blocks.Loop prepare(UcxRow row) {
        bytes = row.bytes();
        return switch (row.operation()) {
            case PROGRESS -> this::progresses;
            case TAG -> this::tags;
            case STREAM, AM, PUT, GET -> others.prepare(row);
        };
    }

    private long tags(int count) {
        UcpRequests sends = sender.requests();
        UcpRequests receives = receiver.requests();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long received = receiver.tagReceive(incoming, 0, bytes, TAG, UcpWorker.EXACT_TAG);
            long sent = endpoint.tagSend(outgoing, 0, bytes, TAG);
            while (!receives.isDone(received) || !sends.isDone(sent)) {
                sender.progress();
                receiver.progress();
            }
            receives.release(received);
            sends.release(sent);
        }
        return System.nanoTime() - begin;
    }

    private long progresses(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            receiver.progress();
        }
        return System.nanoTime() - begin;
    }

    @Override
    public void close() {
        others.close();
        endpoint.closeForcibly();
        receiver.close();
        sender.close();
        context.close();
        arena.close();
    }
}
