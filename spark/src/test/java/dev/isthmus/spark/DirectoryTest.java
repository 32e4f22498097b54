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
        assertEquals(7, directory.find("1").orElseThrow().ucx().id());
        assertEquals("address", directory.find("1").orElseThrow().ucx().address());
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
        assertEquals(List.of(), executor.register("0", byUcx(100)));
        assertEquals(List.of(byUcx(100)), executor.register("1", byUcx(101)));
        for (int i = 2; i < 2 * Directory.MAX_FIRST; i++) {
            executor.register("" + i, byUcx(100 + i));
        }
        driver.remove("0");
        List<ExecutorNodes> others = executor.register("last", byUcx(1));
        assertEquals(Directory.MAX_FIRST, others.size());
        assertFalse(others.contains(byUcx(100)), "one that is gone");
    }

    private static ExecutorNodes byUcx(long id) {
        return new ExecutorNodes(new Node(id, "address"), Optional.empty());
    }

    @Test
    void shouldTellWhichExecutorsHaveVerbs() {
        var driver = new Directory.Master();
        var nodes = new ExecutorNodes(new Node(7, "by UCX"), Optional.of(new Node(-8, "by verbs")));
        new Directory(driver::receive).register("1", nodes);
        new Directory(driver::receive).register("2", byUcx(9));
        var other = new Directory(driver::receive);
        assertEquals(Optional.of(nodes), other.find("1"));
        assertEquals(Optional.of(byUcx(9)), other.find("2"));
    }

    @Test
    void shouldForgetExecutorsThatAreGone() {
        var driver = new Directory.Master();
        var executor = new Directory(driver::receive);
        executor.register("1", byUcx(7));
        assertEquals(
                7, new Directory(driver::receive).find("1").orElseThrow().ucx().id());
        driver.remove("1");
        assertEquals(Optional.empty(), new Directory(driver::receive).find("1"));
    }

    @Test
    void shouldRememberOnlySoManyExecutors() {
        var asked = new AtomicInteger();
        var directory = new Directory(message -> List.of("" + asked.incrementAndGet(), "address"));
        for (int i = 0; i <= Directory.MAX_KNOWN; i++) {
            assertEquals(i + 1, directory.find("" + i).orElseThrow().ucx().id());
        }
        assertEquals(2, directory.find("1").orElseThrow().ucx().id());
        assertEquals(
                Directory.MAX_KNOWN + 2, directory.find("0").orElseThrow().ucx().id());
    }
}
