// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.OtherThread;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueueConfig;
import dev.isthmus.verbs.tags.TagOperation;
import dev.isthmus.verbs.tags.TagQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Calls every public method of every object that belongs to one thread from another thread. Each throws
 * WrongThreadException, except those named here, which read what does not change. A method that is added is
 * called, too.
 */
@Tag("device")
@Tag("connectx")
class OwnersTest {

    private RcPair pair;
    private SendRequest send;
    private MemoryWindow window;
    private AddressHandle way;

    /** An argument for each type of parameter. */
    private final Map<Class<?>, Object> arguments = new HashMap<>();

    @BeforeEach
    void open() {
        pair = RcPair.connected(config -> config.extendedPosting(SendOpcode.SEND));
        send = pair.a.send(0, 8);
        window = pair.a.closedWithPair(pair.a.pd.allocateWindow(MemoryWindowType.TYPE_2));
        way = pair.a.wayTo(pair.b);
        var lent = pair.a.closedWithPair(pair.a.pd.register(
                pair.a.memory(), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.MW_BIND));
        MemorySegment bytes = Arena.ofAuto().allocate(8);
        arguments.putAll(Map.of(
                int.class,
                8,
                long.class,
                8L,
                boolean.class,
                false,
                Thread.class,
                new Thread(),
                MemorySegment.class,
                bytes));
        arguments.put(ReentrantLock.class, new ReentrantLock());
        arguments.putAll(Map.of(
                MemoryRegion.class,
                pair.a.region,
                MemoryWindow.class,
                window,
                WindowBinding.class,
                WindowBinding.of(lent, 0, 8, AccessFlag.REMOTE_WRITE),
                AddressHandle.class,
                way));
        arguments.putAll(Map.of(
                SendOpcode.class,
                SendOpcode.SEND,
                FlushType.class,
                FlushType.GLOBAL,
                FlushRange.class,
                FlushRange.RANGE));
        arguments.putAll(Map.of(
                SendRequest.class,
                pair.a.send(0, 8),
                ReceiveRequest.class,
                pair.a.receive(0, 8),
                WorkRequest.class,
                pair.a.send(0, 8),
                TagOperation.class,
                TagOperation.prepare(),
                WorkCompletions.class,
                WorkCompletions.allocate(1)));
        arguments.putAll(Map.of(
                QueuePair.class,
                pair.a.qp,
                QueuePairTransition.class,
                QueuePairTransition.to(QueuePairState.ERR),
                ConnectionEstablishment.class,
                new ConnectionEstablishment(1, 0),
                GidEntry.class,
                pair.a.gid,
                Gid.class,
                pair.a.gid.gid(),
                QueuePairAddress.class,
                pair.b.qp.address(pair.b.gid)));
        arguments.putAll(Map.of(
                RemoteMemory.class,
                lent.remoteMemory(),
                IntConsumer.class,
                (IntConsumer) index -> {},
                Duration.class,
                Duration.ofSeconds(1)));
    }

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void shouldRefuseToChangeTheRequestsOfAnotherThread() throws Exception {
        assertOwned(send, "next/0");
        assertOwned(pair.a.receive(0, 8), "next/0");
        assertOwned(TagOperation.prepare(), "next/0", "handle/0");
        assertTrue(pair.a.qp.tryPost(send.sge(0, pair.a.region, 0, 8))); // and has changed nothing
    }

    @Test
    void shouldRefuseTheQueuesOfAnotherThread() throws Exception {
        assertOwned(
                pair.a.qp,
                "protectionDomain/0",
                "type/0",
                "qpNum/0",
                "capabilities/0",
                "state/0",
                "address/1",
                "attach/1",
                "attachment/0",
                "isDirect/0",
                "sendBatch/0");
        SendBatch batch = pair.a.qp.sendBatch();
        batch.start();
        assertOwned(batch);
        batch.abort();
        assertOwned(pair.a.cq, "entries/0", "channel/0", "queuePair/1");
        var shared = pair.a.closedWithPair(pair.a.pd.createSharedReceiveQueue(config -> {}));
        assertOwned(shared, "protectionDomain/0", "type/0", "srqNum/0", "query/0");
        assertOwned(TagQueue.of(shared), "sharedReceiveQueue/0");
    }

    @Test
    void shouldRefuseExtendedCompletionsOfAnotherThread() throws Exception {
        var queue = pair.a.closedWithPair(
                ExtendedCompletionQueue.create(pair.a.device, 16, ExtendedCompletionQueueConfig::standardFields));
        assertOwned(queue, "queue/0");
    }

    @Test
    void shouldRefuseTheWaysAndWindowsOfAnotherThread() throws Exception {
        assertOwned(way, "protectionDomain/0");
        assertOwned(window, "type/0");
        assertOwned(pair.a.closedWithPair(pair.a.pd.allocateWindow(MemoryWindowType.TYPE_1)), "type/0");
    }

    private void assertOwned(Object object, String... free) throws Exception {
        OtherThread.assertRefused(object, arguments, free);
    }
}
