// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.stream.Deadlines;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class TimedServerSocketChannelTest {

    private final TimedServerSocketChannel server = new SwitchedServerSocketChannel(new RdmaSelectorProvider(), null);
    private final List<String> dropped = new ArrayList<>();

    private String take(TimedServerSocketChannel.Source<String> from) throws Exception {
        return server.take(from, Deadlines.EVER, dropped::add);
    }

    @Test
    void shouldDropWhatArrivesJustWhenItIsInterrupted() {
        Thread accepting = Thread.currentThread();
        assertThrows(
                ClosedByInterruptException.class,
                () -> take(deadline -> {
                    CompletableFuture.runAsync(accepting::interrupt).join();
                    return "connection";
                }));
        assertTrue(Thread.interrupted());
        assertFalse(server.isOpen());
        assertEquals(List.of("connection"), dropped);
    }

    @Test
    void shouldHandOutWhatArrivesJustBeforeAClose() throws Exception {
        assertEquals("connection", take(deadline -> {
            server.close();
            return "connection";
        }));
        assertEquals(List.of(), dropped);
    }

    @Test
    void shouldCloseWhenTheSourceIsInterrupted() {
        assertThrows(
                ClosedByInterruptException.class,
                () -> take(deadline -> {
                    throw new InterruptedException();
                }));
        assertTrue(Thread.interrupted());
        assertFalse(server.isOpen());
    }

    @Test
    void shouldSayWhyNothingArrived() throws Exception {
        assertThrows(SocketTimeoutException.class, () -> take(deadline -> null));
        assertThrows(
                AsynchronousCloseException.class,
                () -> take(deadline -> {
                    server.close();
                    throw new IllegalStateException();
                }));
    }
}
