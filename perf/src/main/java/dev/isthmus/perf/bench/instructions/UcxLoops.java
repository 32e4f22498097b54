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
import java.util.List;

/**
 * Endpoints and the workers that they lead to, and one thread's loops over them. Each feature has a context of its own,
 * so that none pays for another. The loops have twins in {@code ucx.c}, line by line: change both.
 */
final class UcxLoops implements UcxProgram.Loops {

    private static final int MAX_BYTES = 4096;
    private static final long TAG = 7;
    private static final int ID = 1;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment outgoing = arena.allocate(MAX_BYTES, MAX_BYTES);
    private final MemorySegment incoming = arena.allocate(MAX_BYTES, MAX_BYTES);
    private final UcxPair tags;
    private final UcxPair streams;
    private final UcxPair messages;
    private final UcxPair accesses;
    private final UcpStream stream;
    private final UcpStream back;
    private final UcpMemory memory;
    private final UcpRemoteMemory remote;
    private int arrived;
    private int bytes;

    UcxLoops(UcxRow.Transport transport) {
        String tls = transport.transports();
        tags = new UcxPair(tls, UcpFeature.TAG);
        streams = new UcxPair(tls, UcpFeature.STREAM);
        stream = streams.there.stream();
        back = streams.back().stream();
        messages = new UcxPair(tls, UcpFeature.AM);
        messages.receiver.activeMessages().setHandler(ID, message -> arrived++);
        accesses = new UcxPair(tls, UcpFeature.RMA);
        memory = accesses.context.allocate(MAX_BYTES);
        remote = accesses.there.unpack(memory.packKey());
    }

    @Override
    public Blocks.Loop prepare(UcxRow row) {
        bytes = row.bytes();
        return switch (row.operation()) {
            case PROGRESS -> this::progresses;
            case TAG -> this::tags;
            case STREAM -> this::streams;
            case AM -> this::messages;
            case PUT -> this::puts;
            case GET -> this::gets;
        };
    }

    private long progresses(int count) {
        UcpWorker receiver = tags.receiver;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            receiver.progress();
        }
        return System.nanoTime() - begin;
    }

    private long tags(int count) {
        UcpWorker sender = tags.sender;
        UcpWorker receiver = tags.receiver;
        UcpEndpoint endpoint = tags.there;
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
        List.of(accesses, messages, streams, tags).forEach(UcxPair::close);
        arena.close();
    }
}
