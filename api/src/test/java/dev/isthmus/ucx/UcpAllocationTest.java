// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The data path allocates nothing, according to the JVM's count for this thread. */
@Tag("ucx")
class UcpAllocationTest {

    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 20_000;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateNothingPerSmallMessage(String tls) {
        measure(tls, 8);
    }

    @ParameterizedTest
    @CsvSource("100000")
    void shouldAllocateNothingPerLargeMessage(long size) {
        measure(UcxTransports.any(), size);
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateNothingPerActiveMessage(String tls) {
        try (var pair = UcpActiveMessageTest.pair(tls)) {
            MemorySegment header = pair.arena.allocate(8);
            MemorySegment data = pair.arena.allocate(100);
            MemorySegment to = pair.arena.allocate(100);
            var holder = new UcpKeptMessage();
            long[] answered = {0};
            long[] reply = {0};
            pair.receiver.activeMessages().setPersistentHandler(1, message -> {
                message.keep(holder);
                reply[0] = message.reply(2, header, data, 0);
            });
            pair.sender.activeMessages().setHandler(2, message -> {
                message.receive(to);
                answered[0] += 1 + message.header().getLong(0);
            });
            Runnable pingPong = () -> {
                long expected = answered[0] + 1;
                long send = pair.endpoint.amSend(1, header, data, UcpActiveMessages.REPLY);
                while (answered[0] != expected
                        || !pair.sender.requests().isDone(send)
                        || !pair.receiver.requests().isDone(reply[0])) {
                    pair.progress();
                }
                pair.sender.requests().release(send);
                pair.receiver.requests().release(reply[0]);
                holder.release();
            };
            assertNothingAllocated(() -> repeat(pingPong, WARM_UP / 4), () -> repeat(pingPong, MEASURED / 4));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateNothingPerTakenMessageAndPayload(String tls) {
        try (var pair = new UcpPair(tls);
                var message = UcpTagMessage.of(pair.receiver)) {
            MemorySegment from = pair.arena.allocate(100);
            MemorySegment to = pair.arena.allocate(100);
            UcpIov out = UcpIov.allocate(pair.sender, 4);
            UcpIov in = UcpIov.allocate(pair.receiver, 4).add(to, 0, 40).add(to, 50, 50);
            UcpBuffer part = UcpBuffer.of(pair.sender, from).options(UcpOperationOption.FAST_COMPLETION);
            UcpRequests sent = pair.sender.requests();
            UcpRequests received = pair.receiver.requests();
            Runnable exchange = () -> {
                out.clear().add(from, 0, 8).add(from, 10, 32);
                long receive = pair.receiver.tagReceive(in, 1, UcpWorker.EXACT_TAG);
                long send = pair.endpoint.tagSend(out, 1);
                while (!received.isDone(receive) || !sent.isDone(send)) {
                    pair.progress();
                }
                received.release(receive);
                sent.release(send);
                long plain = pair.endpoint.tagSend(part.range(1, 50), 2);
                long sync = pair.endpoint.tagSendSync(from, 0, 8, 3);
                while (!pair.receiver.tagProbe(3, UcpWorker.EXACT_TAG, message)
                        || !pair.receiver.tagTake(2, UcpWorker.EXACT_TAG, message)) {
                    pair.progress();
                }
                long first = message.receive(to, 0, 50);
                long second = pair.receiver.tagReceive(to, 3);
                while (!received.isDone(first)
                        || !received.isDone(second)
                        || !sent.isDone(plain)
                        || !sent.isDone(sync)) {
                    pair.progress();
                }
                received.release(first);
                received.release(second);
                sent.release(plain);
                sent.release(sync);
            };
            assertNothingAllocated(() -> repeat(exchange, WARM_UP), () -> repeat(exchange, MEASURED));
        }
    }

    @Tag("host") // most of it is copying
    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateNothingPerCompletion(String tls) {
        try (var pair = new UcpPair(tls)) {
            UcpBuffer out = UcpBuffer.of(pair.sender, pair.arena.allocate(100_000));
            UcpBuffer in = UcpBuffer.of(pair.receiver, pair.arena.allocate(100_000));
            UcpCompletions done = UcpCompletions.allocate(4);
            Runnable exchange = () -> {
                pair.receiver.tagReceive(in.range(0, 90_000).userData(1), 1, UcpWorker.EXACT_TAG);
                pair.receiver.tagReceive(in.range(90_000, 8).userData(2), 2, UcpWorker.EXACT_TAG);
                int missing = 2;
                missing += pair.endpoint.tagSend(out.range(0, 90_000).userData(3), 1) == 0 ? 0 : 1;
                missing += pair.endpoint.tagSend(out.range(0, 8).userData(4), 2) == 0 ? 0 : 1;
                while (missing > 0) {
                    pair.progress();
                    missing -= pair.receiver.poll(done) + pair.sender.poll(done);
                }
            };
            assertNothingAllocated(() -> repeat(exchange, WARM_UP / 4), () -> repeat(exchange, MEASURED / 4));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateNothingPerPartOfStream(String tls) {
        try (var pair = new StreamPair(tls);
                var data = UcpStreamData.of(pair.receiver)) {
            MemorySegment from = pair.arena.allocate(100);
            MemorySegment to = pair.arena.allocate(100);
            UcpIov out = UcpIov.allocate(pair.sender, 2).add(from, 0, 10).add(from, 20, 10);
            UcpReadyStreams ready = UcpReadyStreams.of(pair.receiver, 4);
            UcpRequests sent = pair.sender.requests();
            UcpRequests received = pair.receiver.requests();
            Runnable exchange = () -> {
                long send = pair.there.send(from, 0, 100);
                long receive = pair.back.receiveAll(to, 0, 100);
                long list = pair.there.send(out);
                while (!received.isDone(receive) || !sent.isDone(send) || !sent.isDone(list) || ready.poll() == 0) {
                    pair.progress();
                }
                long got = 0;
                while (got < 20) {
                    if (ready.stream(0).receiveData(data)) {
                        got += data.length() + data.getByte(0);
                        data.release();
                    } else {
                        pair.progress();
                    }
                }
                if (received.length(receive) != 100) {
                    throw new AssertionError("wrong length");
                }
                received.release(receive);
                sent.release(send);
                sent.release(list);
            };
            assertNothingAllocated(() -> repeat(exchange, WARM_UP), () -> repeat(exchange, MEASURED));
        }
    }

    private static void repeat(Runnable exchange, int count) {
        for (int i = 0; i < count; i++) {
            exchange.run();
        }
    }

    private void assertNothingAllocated(Runnable warmUp, Runnable measured) {
        warmUp.run();
        // The compiler may still replace code in the first round, which allocates once.
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 3 && least != 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            measured.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least, "bytes allocated");
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateNothingPerRemoteOperation(String tls) {
        try (var pair = new RemotePair(tls, 4096);
                var local = pair.pair.context.register(pair.arena.allocate(4096))) {
            assertNothingAllocated(() -> reach(pair, local, WARM_UP / 20), () -> reach(pair, local, MEASURED / 20));
        }
    }

    /** A round of each kind of operation. */
    private static void reach(RemotePair pair, UcpMemory local, int count) {
        UcpRemoteMemory remote = pair.remote;
        UcpRemoteAtomics atomics = remote.atomics();
        for (int i = 0; i < count; i++) {
            end(pair, remote.put(local.segment(), 0, 100, 8));
            end(pair, remote.put(local, 0, 3000, 8));
            end(pair, remote.get(local.segment(), 0, 100, 8));
            end(pair, remote.get(local, 0, 100, 8));
            remote.putImplicit(local, 0, 100, 8);
            remote.getImplicit(local.segment(), 0, 100, 8);
            atomics.post64(UcpAtomic.ADD, 0, 1);
            end(pair, atomics.apply32(UcpAtomic.ADD, 0, 1));
            end(pair, atomics.fetch64(UcpAtomic.ADD, 0, 1));
            end(pair, atomics.compareAndSwap32(0, 1, 1));
            end(pair, pair.pair.endpoint.flush());
        }
    }

    private static void end(RemotePair pair, long request) {
        UcpRequests requests = pair.requests();
        while (!requests.isDone(request)) {
            pair.pair.progress();
        }
        if (requests.statusCode(request) != 0) {
            throw new AssertionError(requests.status(request));
        }
        requests.release(request);
    }

    private void measure(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(size);
            MemorySegment to = pair.arena.allocate(size);
            int share = size > 10_000 ? 20 : 1; // long messages take their time where processors are emulated
            assertNothingAllocated(
                    () -> exchange(pair, from, to, WARM_UP / share), () -> exchange(pair, from, to, MEASURED / share));
        }
    }

    private static void exchange(UcpPair pair, MemorySegment from, MemorySegment to, int count) {
        UcpRequests sent = pair.sender.requests();
        UcpRequests received = pair.receiver.requests();
        for (int i = 0; i < count; i++) {
            long receive = pair.receiver.tagReceive(to, i);
            long send = pair.endpoint.tagSend(from, i);
            while (!received.isDone(receive) || !sent.isDone(send)) {
                pair.receiver.progress();
                pair.sender.progress();
            }
            if (received.length(receive) != from.byteSize() || received.senderTag(receive) != i) {
                throw new AssertionError("wrong message");
            }
            long flush = pair.endpoint.flush();
            while (!sent.isDone(flush)) {
                pair.receiver.progress();
                pair.sender.progress();
            }
            sent.release(flush);
            sent.release(send);
            received.release(receive);
        }
    }
}
