// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpStream;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The loops beside {@link UcxLoops} that need other features than tags. Each has a context of its own, so that tagged
 * messages do not pay for these features. They have twins in {@code ucx.c}, too.
 */
final class UcxFeatureLoops implements AutoCloseable {

    private static final int ID = 1;

    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private final UcxPair streams;
    private final UcxPair messages;
    private final UcxPair accesses;
    private final UcpStream stream;
    private final UcpStream back;
    private final UcpMemory memory;
    private final UcpRemoteMemory remote;

    private int arrived;
    private int bytes;

    UcxFeatureLoops(UcxRow.Transport transport, Arena arena) {
        outgoing = arena.allocate(UcxLoops.MAX_BYTES, UcxLoops.MAX_BYTES);
        incoming = arena.allocate(UcxLoops.MAX_BYTES, UcxLoops.MAX_BYTES);
        streams = new UcxPair(transport, UcpFeature.STREAM);
        stream = streams.there.stream();
        back = streams.back().stream();
        messages = new UcxPair(transport, UcpFeature.AM);
        messages.receiver.activeMessages().setHandler(ID, message -> arrived++);
        accesses = new UcxPair(transport, UcpFeature.RMA);
        memory = accesses.context.allocate(UcxLoops.MAX_BYTES);
        remote = accesses.there.unpack(memory.packKey());
    }

    Blocks.Loop prepare(UcxRow row) {
        bytes = row.bytes();
        return switch (row.operation()) {
            case STREAM -> this::streams;
            case AM -> this::messages;
            case PUT -> this::puts;
            case GET -> this::gets;
            case PROGRESS, TAG -> throw new IllegalArgumentException("a loop of another class: " + row);
        };
    }

    private long streams(int count) {
        UcpWorker sender = streams.sender;
        UcpWorker receiver = streams.receiver;
        UcpRequests sends = sender.requests();
        UcpRequests receives = receiver.requests();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long received = back.receiveAll(incoming, 0, bytes);
            long sent = stream.send(outgoing, 0, bytes);
            while (!receives.isDone(received) || !sends.isDone(sent)) {
                sender.progress();
                receiver.progress();
            }
            receives.release(received);
            sends.release(sent);
        }
        return System.nanoTime() - begin;
    }

    private long messages(int count) {
        UcpWorker sender = messages.sender;
        UcpWorker receiver = messages.receiver;
        UcpEndpoint endpoint = messages.there;
        UcpRequests sends = sender.requests();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int before = arrived;
            long sent = endpoint.amSend(ID, MemorySegment.NULL, 0, 0, outgoing, 0, bytes, 0);
            while (arrived == before || !sends.isDone(sent)) {
                sender.progress();
                receiver.progress();
            }
            sends.release(sent);
        }
        return System.nanoTime() - begin;
    }

    private long puts(int count) {
        UcpRequests requests = accesses.sender.requests();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            end(requests, remote.put(outgoing, 0, bytes, 0));
        }
        return System.nanoTime() - begin;
    }

    private long gets(int count) {
        UcpRequests requests = accesses.sender.requests();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            end(requests, remote.get(incoming, 0, bytes, 0));
        }
        return System.nanoTime() - begin;
    }

    private void end(UcpRequests requests, long request) {
        while (!requests.isDone(request)) {
            accesses.sender.progress();
            accesses.receiver.progress();
        }
        requests.release(request);
    }

    @Override
    public void close() {
        remote.close();
        memory.close();
        accesses.close();
        messages.close();
        streams.close();
    }
}
