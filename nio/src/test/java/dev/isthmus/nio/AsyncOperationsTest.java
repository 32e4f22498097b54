// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.nio.channels.CompletionHandler;
import java.nio.channels.Pipe;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bookkeeping of asynchronous operations, whatever the program's executor does. */
@Tag("unit")
class AsyncOperationsTest {

    /** As one whose threads are the system's last. */
    private static ThreadPoolExecutor failing() {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
            @Override
            public void execute(Runnable task) {
                throw new OutOfMemoryError("unable to create native thread");
            }
        };
    }

    private static <V> CompletionHandler<V, Void> unreached() {
        return new CompletionHandler<>() {
            @Override
            public void completed(V result, Void attachment) {
                throw new AssertionError("it ran");
            }

            @Override
            public void failed(Throwable why, Void attachment) {
                throw new AssertionError("it ran", why);
            }
        };
    }

    @Test
    void shouldLetTheGroupEndWhenItsExecutorFails() throws Exception {
        Pipe pipe = Pipe.open();
        try (var channel = pipe.source();
                var sink = pipe.sink()) {
            ThreadPoolExecutor executor = failing();
            var group = new AsyncGroup(null, executor);
            var operations = new AsyncOperations(group, channel, "Reading", IllegalStateException::new);
            assertThrows(
                    OutOfMemoryError.class,
                    () -> operations.completed(
                            1, null, AsyncOperations.Completion.of(AsyncOperationsTest.<Integer>unreached(), null)));
            var completion = AsyncOperations.Completion.of(AsyncOperationsTest.<Integer>unreached(), (Void) null);
            assertEquals(2, operations.start(() -> 2, _ -> {}, 0, completion).get());
            group.shutdown();
            assertTrue(executor.awaitTermination(TestDeadlines.seconds(20), TimeUnit.SECONDS), "the group goes on");
            assertTrue(sink.isOpen());
        }
    }
}
