// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Closes for which nobody waits. */
@Tag("ucx")
class UcpCloseTest {

    /** Longer than any test waits. */
    private static final Duration NEVER = Duration.ofHours(1);

    /** Large messages wait for their receivers, with every version of UCX. */
    private static UcpPair pair(String tls) {
        return new UcpPair(config -> config.set("TLS", tls).set("RNDV_THRESH", "64k"), UcpPair.closingWithin(NEVER));
    }

    /** A send for which there is no receive. */
    private static long sendInVain(UcpPair pair) {
        long send = pair.endpoint.tagSend(pair.arena.allocate(4 << 20), 1);
        for (int i = 0; i < 100; i++) {
            pair.progress();
        }
        assertEquals(UcsStatus.IN_PROGRESS, pair.sender.requests().status(send));
        return send;
    }

    private static void end(CompletableFuture<Void> closed, Runnable progress) {
        UcxTransports.until(closed::isDone, progress);
        assertDoesNotThrow(closed::join);
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseEndpointWithinATimeOfItsOwn(String tls) {
        var pair = pair(tls);
        sendInVain(pair);
        end(pair.endpoint.closeAsync(Duration.ofMillis(50)), pair::progress);
        assertFalse(pair.endpoint.isOpen());
        end(pair.sender.closeAsync(Duration.ZERO), pair.sender::progress);
        end(pair.receiver.closeAsync(), pair.receiver::progress);
        pair.context.close();
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseEndpointSoonerWhenToldLater(String tls) {
        var pair = pair(tls);
        sendInVain(pair);
        var closed = pair.endpoint.closeAsync();
        for (int i = 0; i < 1000; i++) {
            pair.progress();
        }
        assertFalse(closed.isDone());
        var again = pair.endpoint.closeAsync(Duration.ZERO);
        end(closed, pair::progress);
        end(again, pair::progress);
        end(pair.sender.closeAsync(Duration.ofMillis(50)), pair.sender::progress);
        pair.receiver.close();
        pair.context.close();
    }

    @Test
    void shouldCloseEndpointThatHasSentEverything() {
        var pair = pair("posix,self");
        pair.exchange(pair.arena.allocate(8), pair.arena.allocate(8), 1);
        end(pair.endpoint.closeAsync(NEVER), pair::progress);
        end(pair.endpoint.closeAsync(Duration.ZERO), pair::progress);
        pair.closeAtOnce();
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseWorkerWhileItGoesOn(String tls) {
        var pair = pair(tls);
        pair.exchange(pair.arena.allocate(8), pair.arena.allocate(8), 1);
        UcpWorker worker = pair.receiver;
        var receive = worker.tagReceiveAsync(pair.arena.allocate(8), 2, UcpWorker.EXACT_TAG);
        var closed = worker.closeAsync();
        assertFalse(closed.isDone());
        long late = worker.tagReceive(pair.arena.allocate(8), 3);
        UcpAddress address = pair.sender.address();
        var e = assertThrows(IllegalStateException.class, () -> worker.createEndpoint(address));
        assertTrue(e.getMessage().endsWith("is being closed"), e.getMessage());
        assertTrue(late > 0);
        UcxTransports.until(closed::isDone, () -> {
            if (!closed.isDone()) {
                worker.progress();
            }
            pair.sender.progress();
        });
        var ended = assertThrows(CompletionException.class, receive::join);
        assertTrue(ended.getMessage().endsWith("was closed before the operation was done"), ended.getMessage());
        assertTrue(worker.closeAsync().isDone());
        assertTrue(worker.closeAsync(NEVER).isDone());
        worker.close();
        assertThrows(IllegalStateException.class, worker::progress);
        pair.closeAtOnce();
    }

    @Test
    void shouldWaitForEndpointsThatAreBeingClosed() {
        var pair = pair("posix,self");
        sendInVain(pair);
        var endpoint = pair.endpoint.closeAsync();
        var closed = pair.sender.closeAsync();
        for (int i = 0; i < 1000; i++) {
            pair.progress();
        }
        assertFalse(endpoint.isDone());
        assertFalse(closed.isDone());
        var sooner = pair.sender.closeAsync(Duration.ofMillis(50));
        UcxTransports.until(closed::isDone, pair.sender::progress);
        assertTrue(endpoint.isDone());
        assertDoesNotThrow(endpoint::join);
        assertDoesNotThrow(closed::join);
        assertDoesNotThrow(sooner::join);
        pair.receiver.close();
        pair.context.close();
    }

    @Test
    void shouldNotCloseWorkerWithAnOpenEndpoint() {
        var pair = pair("posix,self");
        pair.exchange(pair.arena.allocate(8), pair.arena.allocate(8), 1);
        var e = assertThrows(IllegalStateException.class, pair.sender::closeAsync);
        assertTrue(e.getMessage().contains("close first its 1 UcpEndpoint"), e.getMessage());
        UcpEndpoint other = pair.sender.createEndpoint(pair.receiver.address());
        var sent = other.tagSendAsync(pair.arena.allocate(4 << 20), 1);
        var closing = other.closeAsync(Duration.ofSeconds(2)); // it is to be under way when the next line has come
        var refused = pair.sender.closeAsync();
        UcxTransports.until(refused::isDone, pair::progress);
        assertTrue(closing.isDone());
        var thrown = assertThrows(CompletionException.class, refused::join);
        assertTrue(thrown.getCause().getMessage().contains("close first its 1 UcpEndpoint"), thrown.toString());
        pair.sender.createEndpoint(pair.receiver.address()).close(); // it goes on as before
        pair.endpoint.closeForcibly();
        end(pair.sender.closeAsync(Duration.ofMillis(50)), pair.sender::progress);
        assertTrue(sent.isDone(), "the worker's close ends all futures");
        pair.receiver.close();
        pair.context.close();
    }

    @Test
    @Tag("host") // over TCP, which the devices of the testbed are not
    void shouldNotCloseWorkerWithAListener() {
        try (var context = UcpContext.create(config -> config.set("TLS", "tcp,self"));
                var worker = context.createWorker()) {
            UcpListener listener =
                    worker.createListener(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), request -> {});
            var e = assertThrows(IllegalStateException.class, worker::closeAsync);
            assertTrue(e.getMessage().contains("UcpListener"), e.getMessage());
            listener.close();
            end(worker.closeAsync(), worker::progress);
        }
    }

    @Test
    void shouldEndACloseThatIsUnderWay() {
        var pair = pair("posix,self");
        sendInVain(pair);
        pair.endpoint.closeForcibly(); // UCX keeps its half, and the send
        var closed = pair.sender.closeAsync();
        for (int i = 0; i < 1000; i++) {
            pair.progress();
        }
        assertFalse(closed.isDone());
        var sooner = pair.sender.closeAsync(Duration.ofMillis(50));
        pair.sender.close();
        assertTrue(closed.isDone());
        assertTrue(sooner.isDone());
        pair.receiver.close();
        pair.context.close();
    }

    @Test
    void shouldNotCloseWorkerInsideAHandler() {
        try (var pair = new UcpPair(
                config -> config.set("TLS", "posix,self").features(EnumSet.of(UcpFeature.AM)), config -> {})) {
            var refused = new CompletableFuture<String>();
            pair.receiver
                    .activeMessages()
                    .setHandler(
                            1,
                            message -> refused.complete(
                                    assertThrows(IllegalStateException.class, pair.receiver::closeAsync)
                                            .getMessage()));
            pair.await(pair.sender, pair.endpoint.amSend(1, pair.arena.allocate(8)));
            UcxTransports.until(refused::isDone, pair::progress);
            assertTrue(refused.join().startsWith("close is not possible inside a callback"), refused.join());
        }
    }

    @Test
    void shouldTakeATimeThatNeverEnds() {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        try (var pair = new UcpPair("posix,self", UcpPair.closingWithin(forever))) {
            long receive = pair.receiver.tagReceive(pair.arena.allocate(8), 1);
            pair.await(pair.sender, pair.endpoint.tagSend(pair.arena.allocate(8), 1));
            assertTrue(pair.receiver.await(receive, forever));
            end(pair.endpoint.closeAsync(forever), pair::progress);
            end(pair.sender.closeAsync(forever), pair.sender::progress);
        }
    }

    /** A thread that sleeps wakes up when the time is over. */
    @Test
    @Tag("host") // over TCP, which the devices of the testbed are not
    void shouldWakeWhenTheTimeIsOver() throws InterruptedException {
        var pair = new UcpPair(
                config -> config.set("TLS", "tcp,self")
                        .set("RNDV_THRESH", "64k")
                        .features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)),
                UcpPair.closingWithin(NEVER));
        sendInVain(pair);
        pair.endpoint.closeForcibly();
        var closed = pair.sender.closeAsync(Duration.ofMillis(300));
        while (!closed.isDone()) {
            assertTrue(pair.sender.wakeup().await(TestDeadlines.ofSeconds(60)));
            pair.sender.progress();
        }
        assertDoesNotThrow(closed::join);
        pair.receiver.close();
        pair.context.close();
    }
}
