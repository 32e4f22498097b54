// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.spark.transport.Node;
import dev.isthmus.testbed.TestDeadlines;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class DirectoryTest {

    @Test
    void shouldAskAgainAfterDriverDidNotAnswer() {
        var asked = new AtomicInteger();
        var directory = new Directory(message -> {
            if (asked.incrementAndGet() == 1) {
                throw new IllegalStateException("the driver does not answer");
            }
            return List.of("7", "address");
        });
        assertThrows(IllegalStateException.class, () -> directory.find("1"));
        assertEquals(7, directory.find("1").orElseThrow().id());
        assertEquals("address", directory.find("1").orElseThrow().address());
        assertEquals(2, asked.get());
    }

    /**
     * The names have the same hash code, so a lock of the map that is held while the driver is asked for one would be
     * the other's, too.
     */
    @Test
    void shouldFindOneExecutorWhileAnotherIsAskedFor() throws Exception {
        var asked = new CountDownLatch(1);
        var answer = new CountDownLatch(1);
        var directory = new Directory(message -> {
            if (message.equals(List.of("find", "Aa"))) {
                asked.countDown();
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return List.of();
        });
        Executor threads = task -> Thread.ofPlatform().daemon().start(task);
        var slow = CompletableFuture.supplyAsync(() -> directory.find("Aa"), threads);
        asked.await();
        try {
            var quick = CompletableFuture.supplyAsync(() -> directory.find("BB"), threads);
            assertEquals(Optional.empty(), quick.get(TestDeadlines.seconds(20), TimeUnit.SECONDS));
        } finally {
            answer.countDown();
        }
        assertEquals(Optional.empty(), slow.get(TestDeadlines.seconds(20), TimeUnit.SECONDS));
    }

    @Test
    void shouldTellNewExecutorOfSomeOthers() {
        var driver = new Directory.Master();
        var executor = new Directory(driver::receive);
        assertEquals(List.of(), executor.register("0", new Node(100, "address 0")));
        assertEquals(List.of(new Node(100, "address 0")), executor.register("1", new Node(101, "address 1")));
        for (int i = 2; i < 2 * Directory.MAX_FIRST; i++) {
            executor.register("" + i, new Node(100 + i, "address " + i));
        }
        driver.remove("0");
        List<Node> others = executor.register("last", new Node(1, "address"));
        assertEquals(Directory.MAX_FIRST, others.size());
        assertFalse(others.contains(new Node(100, "address 0")), "one that is gone");
    }

    @Test
    void shouldForgetExecutorsThatAreGone() {
        var driver = new Directory.Master();
        var executor = new Directory(driver::receive);
        executor.register("1", new Node(7, "address"));
        assertEquals(7, new Directory(driver::receive).find("1").orElseThrow().id());
        driver.remove("1");
        assertEquals(Optional.empty(), new Directory(driver::receive).find("1"));
    }

    @Test
    void shouldRememberOnlySoManyExecutors() {
        var asked = new AtomicInteger();
        var directory = new Directory(message -> List.of("" + asked.incrementAndGet(), "address"));
        for (int i = 0; i <= Directory.MAX_KNOWN; i++) {
            assertEquals(i + 1, directory.find("" + i).orElseThrow().id());
        }
        assertEquals(2, directory.find("1").orElseThrow().id());
        assertEquals(Directory.MAX_KNOWN + 2, directory.find("0").orElseThrow().id());
    }
}
