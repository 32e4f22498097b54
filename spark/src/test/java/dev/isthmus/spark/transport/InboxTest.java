// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.loop.EventLoop;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every message is handled once, whatever the loop and the handler do. */
@Tag("unit")
class InboxTest {

    private final List<Integer> handled = new ArrayList<>();

    private static ByteBuffer message(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).flip();
    }

    @Test
    void shouldGoOnAfterItsTaskWasRejected() throws Exception {
        try (var loop = EventLoop.open(config -> config.maxTasks(1))) {
            var inbox = new Inbox(loop, bytes -> handled.add(bytes.getInt()));
            loop.execute(() -> {});
            assertThrows(RejectedExecutionException.class, () -> inbox.add(message(1)));
            loop.turn(Duration.ZERO);
            inbox.add(message(2));
            loop.turn(Duration.ZERO);
            assertEquals(List.of(1, 2), handled);
        }
    }

    @Test
    void shouldHandleTheRestWhenTheHandlerThrows() throws Exception {
        try (var loop = EventLoop.open()) {
            var inbox = new Inbox(loop, bytes -> {
                int number = bytes.getInt();
                if (number == 1) {
                    throw new IllegalStateException("the first one");
                }
                handled.add(number);
            });
            for (int number = 1; number <= 3; number++) {
                inbox.add(message(number));
            }
            assertThrows(IllegalStateException.class, () -> loop.turn(Duration.ZERO));
            loop.turn(Duration.ZERO);
            assertEquals(List.of(2, 3), handled);
        }
    }
}
