// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Queues and requests that belong to whoever holds a lock. */
@Tag("device")
@Tag("connectx")
class SharedUnderLockTest {

    private static final int MESSAGES = 300;

    private final ReentrantLock lock = new ReentrantLock();
    private RcPair pair;
    private SendRequest send;

    @BeforeEach
    void open() {
        pair = RcPair.connected();
        send = pair.a.send(0, 8).opcode(SendOpcode.RDMA_WRITE).remote(pair.b.region.address(), pair.b.region.rkey());
    }

    @AfterEach
    void close() {
        lock.lock(); // what is shared is closed under the lock, too
        try {
            pair.close();
        } finally {
            lock.unlock();
        }
    }

    private void share() {
        pair.a.qp.shareUnder(lock);
        pair.a.cq.shareUnder(lock);
        send.shareUnder(lock);
    }

    private void writeOnce() {
        lock.lock();
        try {
            assertTrue(pair.a.qp.tryPost(send));
            pair.a.awaitSuccess();
        } finally {
            lock.unlock();
        }
    }

    private void writeOften() {
        for (int i = 0; i < MESSAGES; i++) {
            writeOnce();
        }
    }

    private void refused(Task task) throws Exception {
        var e = assertInstanceOf(WrongThreadException.class, onAnotherThread(task));
        assertTrue(e.getMessage().contains("lock it first"), e.getMessage());
    }

    @Test
    void shouldServeThreadsThatHoldTheLockInTurn() throws Exception {
        share();
        var other = new FutureTask<Void>(() -> {
            writeOften();
            return null;
        });
        Thread.ofPlatform().daemon().start(other);
        writeOften();
        other.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }

    @Test
    void shouldRefuseAThreadWithoutTheLock() throws Exception {
        share();
        refused(() -> pair.a.qp.post(send));
        refused(() -> assertEquals(0, pair.a.cq.poll(pair.a.done)));
        refused(() -> pair.a.cq.requestNotify(false));
        refused(() -> send.wrId(1));
        refused(() -> pair.a.qp.close());
        refused(() -> pair.a.qp.shareUnder(new ReentrantLock()));
        writeOnce();
    }

    @Test
    void shouldRefuseTheOwnerThatWasOnceAnotherHasUsedIt() throws Exception {
        share();
        assertNull(onAnotherThread(this::writeOnce));
        assertThrows(WrongThreadException.class, () -> pair.a.qp.tryPost(send));
        assertThrows(WrongThreadException.class, () -> pair.a.cq.poll(pair.a.done));
        assertThrows(WrongThreadException.class, () -> send.wrId(1));
        writeOnce();
    }

    @Test
    void shouldCloseUnderTheLock() throws Exception {
        share();
        assertNull(onAnotherThread(() -> {
            lock.lock();
            try {
                pair.a.qp.close();
            } finally {
                lock.unlock();
            }
        }));
        lock.lock();
        try {
            assertThrows(IllegalStateException.class, () -> pair.a.qp.tryPost(send));
            assertThrows(IllegalStateException.class, () -> pair.a.qp.shareUnder(lock));
            assertEquals(0, pair.a.cq.poll(pair.a.done));
        } finally {
            lock.unlock();
        }
    }

    @Test
    void shouldBelongToOneThreadAgainWhenHandedOver() throws Exception {
        share();
        assertNull(onAnotherThread(this::writeOnce));
        lock.lock();
        try {
            pair.a.qp.handOver(Thread.currentThread());
            pair.a.cq.handOver(Thread.currentThread());
            send.handOver(Thread.currentThread());
        } finally {
            lock.unlock();
        }
        assertInstanceOf(WrongThreadException.class, onAnotherThread(this::writeOnce));
        assertTrue(pair.a.qp.tryPost(send)); // without the lock
        pair.a.awaitSuccess();
    }

    @Test
    void shouldWantALock() {
        assertThrows(NullPointerException.class, () -> pair.a.qp.shareUnder(null));
        assertThrows(NullPointerException.class, () -> pair.a.cq.shareUnder(null));
        assertThrows(NullPointerException.class, () -> send.shareUnder(null));
    }

    private interface Task {
        void run() throws Exception;
    }

    private static Throwable onAnotherThread(Task task) throws Exception {
        var result = new FutureTask<Void>(() -> {
            task.run();
            return null;
        });
        Thread.ofPlatform().daemon().start(result);
        try {
            result.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }
}
