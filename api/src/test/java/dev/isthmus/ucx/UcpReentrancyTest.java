// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.GuardedArena;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Code of the program that runs inside a close, or inside another call that progresses the worker. */
@Tag("ucx")
class UcpReentrancyTest {

    private static final int ID = 3;
    private static final int LARGE = 8 << 20;
    private static final EnumSet<UcpFeature> FEATURES = EnumSet.of(UcpFeature.AM, UcpFeature.RMA);

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldDestroyAKeyOnceThoughAHandlerClosesItDuringTheClose(String tls) throws InterruptedException {
        try (var keys = new Keys(tls)) {
            for (int round = 0; round < 5; round++) { // UCX takes some keys that are destroyed twice
                int[] closes = {0};
                UcpRemoteMemory remote = keys.to.unpack(keys.key);
                keys.mine.activeMessages().setHandler(ID, message -> {
                    closes[0]++;
                    remote.close();
                });
                long message = keys.send();
                long put = remote.put(keys.from, 0, LARGE, 0);
                assertNotEquals(0, put, "there is nothing to wait for");
                keys.theirsProgressesElsewhere(remote::close);
                assertEquals(1, closes[0]);
                assertTrue(keys.mine.requests().isDone(put));
                assertEquals(0, remote.handle(), "C's pointer to a destroyed key");
                remote.close();
                keys.mine.requests().release(put);
                keys.theirs.requests().release(message);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldRefuseOperationsOfHandlersDuringTheCloseOfAKey(String tls) throws InterruptedException {
        try (var keys = new Keys(tls)) {
            List<Throwable> refused = new ArrayList<>();
            UcpRemoteMemory remote = keys.to.unpack(keys.key);
            keys.mine
                    .activeMessages()
                    .setHandler(
                            ID,
                            message -> refused.add(
                                    assertThrows(IllegalStateException.class, () -> remote.put(keys.from, 0, 8, 0))));
            long message = keys.send();
            long put = remote.put(keys.from, 0, LARGE, 0);
            keys.theirsProgressesElsewhere(remote::close);
            assertEquals(1, refused.size());
            assertTrue(refused.getFirst().getMessage().endsWith(" is closed"), refused.getFirst()::getMessage);
            keys.mine.await(put, Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS));
            keys.mine.requests().release(put);
            keys.theirs.requests().release(message);
        }
    }

    @Test
    void shouldRefuseAWorkerThatWasClosedWhileItsEndpointWasConfigured() {
        try (var context = UcpContext.create(config -> config.set("TLS", UcxTransports.any()))) {
            UcpWorker one = context.createWorker();
            UcpAddress address = one.address();
            assertThrows(IllegalStateException.class, () -> one.createEndpoint(address, config -> one.close()));
            UcpWorker two = context.createWorker();
            assertThrows(
                    IllegalStateException.class,
                    () -> two.createEndpoint(two.address(), config -> {
                        var ignored = two.closeAsync();
                    }));
            UcxTransports.until(() -> two.owner().isClosed(), two::progress);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldCloseAListenerWhoseRequestsAHandlerDecidesMeanwhile(String tls) {
        try (var pair = new SocketPair(tls, UcpPair.closingWithin(Duration.ofSeconds(5)), FEATURES)) {
            List<UcpConnectionRequest> requests = new ArrayList<>();
            UcpListener listener = pair.server.createListener(UcxTransports.listenAddress(), requests::add);
            UcpEndpoint toServer = pair.connect(config -> {});
            UcpEndpoint accepted = pair.keep(pair.request().accept());
            long flush = toServer.flush();
            UcxTransports.until(() -> pair.client.requests().isDone(flush), pair::progress);
            pair.client.requests().release(flush);
            List<UcpEndpoint> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clients.add(pair.connect(listener.address(), config -> {}));
            }
            UcxTransports.until(() -> requests.size() == clients.size(), pair::progress);
            int[] called = {0};
            pair.server.activeMessages().setHandler(ID, message -> {
                called[0]++;
                requests.forEach(request -> {
                    if (request.isUndecided()) {
                        request.reject();
                    }
                });
                listener.close();
            });
            long send = toServer.amSend(ID, MemorySegment.NULL);
            UcxTransports.until(() -> pair.client.requests().isDone(send), pair.client::progress);
            pair.client.requests().release(send);
            listener.close();
            assertFalse(listener.isOpen());
            UcxTransports.until(() -> pair.failed.containsAll(clients), pair::progress);
            clients.forEach(client -> assertEquals(UcsStatus.REJECTED, client.failure()));
            assertEquals(1, called[0]);
            assertTrue(accepted.isOpen());
            requests.forEach(request -> assertFalse(request.isUndecided()));
        }
    }

    /** Two workers of one thread with endpoints to each other, and memory of the second. */
    private static final class Keys implements AutoCloseable {

        final Arena arena = GuardedArena.ofShared();
        final UcpContext context;
        final UcpWorker mine;
        final UcpWorker theirs;
        final UcpEndpoint to;
        final UcpEndpoint back;
        final UcpMemory memory;
        final UcpPackedKey key;
        final MemorySegment from = arena.allocate(LARGE);

        Keys(String tls) {
            context = UcpContext.create(config -> config.set("TLS", tls).features(FEATURES));
            mine = context.createWorker(UcpPair.closingWithin(Duration.ofSeconds(5)));
            theirs = context.createWorker();
            to = mine.createEndpoint(theirs.address());
            back = theirs.createEndpoint(mine.address());
            memory = memory(LARGE);
            key = memory.packKey();
            connect();
        }

        /** Not UCX's own, which a peer on the same machine would write to at once. */
        UcpMemory memory(long bytes) {
            return context.register(arena.allocate(bytes, 64));
        }

        private void connect() {
            boolean[] called = {false};
            mine.activeMessages().setHandler(ID, message -> called[0] = true);
            long message = back.amSend(ID, MemorySegment.NULL);
            UcxTransports.until(() -> called[0] && theirs.requests().isDone(message), this::progress);
            theirs.requests().release(message);
            end(mine, to);
            end(theirs, back);
        }

        private void end(UcpWorker worker, UcpEndpoint endpoint) {
            long flush = endpoint.flush();
            UcxTransports.until(() -> worker.requests().isDone(flush), this::progress);
            worker.requests().release(flush);
        }

        /** Sends a message to the first worker, which meets it at its next progress. */
        long send() {
            end(mine, to);
            end(theirs, back);
            UcxTransports.until(() -> mine.progress() == 0 && theirs.progress() == 0, () -> {}); // queues are empty
            long message = back.amSend(ID, MemorySegment.NULL);
            UcxTransports.until(() -> theirs.requests().isDone(message), theirs::progress);
            return message;
        }

        void progress() {
            mine.progress();
            theirs.progress();
        }

        /** Another thread progresses the second worker during the call. */
        void theirsProgressesElsewhere(Runnable call) throws InterruptedException {
            Thread here = Thread.currentThread();
            boolean[] over = {false};
            var lock = new Object();
            Thread thread = new Thread(() -> {
                boolean on = true;
                while (on) {
                    theirs.progress();
                    synchronized (lock) {
                        on = !over[0];
                    }
                }
                theirs.handOver(here);
            });
            theirs.handOver(thread);
            thread.start();
            try {
                call.run();
            } finally {
                synchronized (lock) {
                    over[0] = true;
                }
                thread.join();
            }
        }

        @Override
        public void close() {
            end(mine, to);
            end(theirs, back);
            to.close();
            back.close();
            memory.close();
            mine.close();
            theirs.close();
            context.close();
            arena.close();
        }
    }
}
