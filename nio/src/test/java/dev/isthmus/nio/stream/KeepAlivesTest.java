// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.nio.RdmaServerSocketChannel;
import dev.isthmus.nio.RdmaSocketChannel;
import dev.isthmus.testbed.LogListener;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class KeepAlivesTest {

    private static final Duration PERIOD = Duration.ofMillis(20);

    private final Service service = Service.get();
    private final KeepAlives keepAlives = new KeepAlives(service.loop());
    private StreamListener listening;
    private Stream client;
    private Stream server;

    KeepAlivesTest() throws IOException {
        // as the service may not start
    }

    @BeforeEach
    void connect() throws Exception {
        InetAddress address =
                InetAddress.getByName(System.getenv("ISTHMUS_ADDRESSES").split(" ", -1)[1]);
        listening = StreamListener.listen(
                new InetSocketAddress(address, 0), 5, false, () -> StreamOptions.DEFAULT, peer -> true);
        client = service.connect(null, listening.localAddress(), StreamOptions.DEFAULT, 0, TestDeadlines.ofSeconds(30))
                .get();
        server = listening.accept(Deadlines.EVER);
    }

    @AfterEach
    void close() {
        onService(() -> keepAlives.remove(client));
        client.close(false);
        server.close(false);
        listening.close();
    }

    private void onService(Runnable task) {
        service.loop().submit(task).join();
    }

    private CompletableFuture<Integer> reading(Stream from) {
        var result = new CompletableFuture<Integer>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(from.read(ByteBuffer.allocate(10), Deadlines.EVER));
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return result;
    }

    @Test
    void shouldNoticeThatThePeerHasVanished() throws Exception {
        CompletableFuture<Integer> reading = reading(client);
        // What it has sent is acknowledged, or its close would ask for that by a post in RESET.
        while (server.advanceClose() == CloseProgress.SENDING) {
            Thread.onSpinWait();
        }
        // Its queue pair answers nothing any more, and the connection manager does not know.
        onService(() -> server.link().queuePair().modify(QueuePairTransition.to(QueuePairState.RESET)));
        try (var log = new LogListener("dev.isthmus.nio", Level.WARNING)) {
            onService(() -> keepAlives.add(client, PERIOD));
            Throwable seen = assertThrows(
                            ExecutionException.class, () -> reading.get(TestDeadlines.seconds(60), TimeUnit.SECONDS))
                    .getCause();
            assertInstanceOf(SocketException.class, seen);
            assertEquals("Connection reset: the peer's device no longer answers", seen.getMessage());
            assertEquals(List.of(), log.messages(), "it is no offence");
        }
    }

    @Test
    void shouldNotDisturbAPeerThatIsThere() throws Exception {
        CompletableFuture<Integer> reading = reading(server);
        onService(() -> keepAlives.add(client, PERIOD));
        for (int i = 0; i < 30; i++) { // each asks, or hears the answer: more than can be under way
            onService(client::keepAlive);
        }
        assertFalse(reading.isDone());
        assertEquals(7, client.write(ByteBuffer.allocate(7), Deadlines.EVER));
        assertEquals(7, reading.get(TestDeadlines.seconds(60), TimeUnit.SECONDS));
    }

    @Test
    void shouldBeWhatTheOptionSays() throws Exception {
        var channel = RdmaSocketChannel.open();
        try (var listener = RdmaServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(listening.localAddress().getAddress(), 0));
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            int before = kept();
            channel.connect(listener.getLocalAddress());
            assertEquals(before + 1, kept());
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, false);
            assertEquals(before, kept());
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            assertEquals(before + 1, kept());
            channel.close();
            assertEquals(before, kept());
        }
    }

    private int kept() {
        return service.loop().submit(() -> service.keepAlives().size()).join();
    }
}
