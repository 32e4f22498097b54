// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The sends and the receives of one queue pair have separate owners. */
@Tag("device")
@Tag("connectx")
class DirectionsTest {

    private static final int MESSAGES = 500;

    private RcPair pair;

    /** Answers that had no room in the send queue yet. */
    private int owed;

    @BeforeEach
    void open() {
        pair = RcPair.connected(config -> config.maxSendWr(16).maxRecvWr(16).extendedPosting(SendOpcode.SEND));
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static void assertNotIts(String what, Executable call) {
        var e = assertThrows(WrongThreadException.class, call);
        assertTrue(e.getMessage().contains("the " + what + " queue of QueuePair"), e.getMessage());
    }

    /** This thread polls all there is, and posts receives; another sends on the same queue pair. */
    @Test
    void shouldLetOneThreadSendWhileTheOneThatPollsPostsReceives() throws Exception {
        SendRequest send = pair.a.send(0, 8);
        var sent = new FutureTask<Void>(() -> {
            for (long message = 0; message < MESSAGES; message++) {
                while (!pair.a.qp.tryPost(send.wrId(message))) {
                    Thread.onSpinWait();
                }
            }
            return null;
        });
        var sender = new Thread(sent);
        send.handOver(sender);
        pair.a.qp.handOverSends(sender);
        ReceiveRequest there = pair.b.receive(0, 8);
        ReceiveRequest here = pair.a.receive(64, 8);
        SendRequest answer = pair.b.send(64, 8);
        for (int i = 0; i < 8; i++) {
            pair.b.qp.post(there);
            pair.a.qp.post(here);
        }
        sender.start();
        int sends = 0;
        int answers = 0;
        while (sends < MESSAGES || answers < MESSAGES) {
            int n = pair.a.cq.poll(pair.a.done);
            for (int i = 0; i < n; i++) {
                assertTrue(pair.a.done.isSuccess(i), () -> pair.a.done.toString());
                if (pair.a.done.opcode(i) == CompletionOpcode.RECV) {
                    answers++;
                    pair.a.qp.post(here);
                } else {
                    assertEquals(sends++, pair.a.done.wrId(i)); // in order, and none lost
                }
            }
            answerAll(there, answer);
        }
        sent.get();
        sender.join();
    }

    private void answerAll(ReceiveRequest there, SendRequest answer) {
        int n = pair.b.cq.poll(pair.b.done);
        for (int i = 0; i < n; i++) {
            assertTrue(pair.b.done.isSuccess(i), () -> pair.b.done.toString());
            if (pair.b.done.opcode(i) == CompletionOpcode.RECV) {
                pair.b.qp.post(there);
                owed++;
            }
        }
        // The queue can be full until the other side, which this thread polls, too, has posted receives.
        while (owed > 0 && pair.b.qp.tryPost(answer)) {
            owed--;
        }
    }

    @Test
    void shouldRefuseTheThreadOfTheOtherDirection() throws Exception {
        SendRequest send = pair.a.send(0, 8);
        ReceiveRequest receive = pair.a.receive(0, 8);
        assertTrue(pair.a.qp.tryPost(receive)); // so that the queue remembers its thread
        assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
        assertTrue(pair.a.qp.tryPost(send));
        pair.a.awaitSuccess();
        var idle = new Thread(() -> {});
        pair.a.qp.handOverSends(idle);
        SendBatch batch = pair.a.qp.sendBatch();
        assertNotIts("send", () -> pair.a.qp.tryPost(send));
        assertNotIts("send", () -> pair.a.qp.tryPostChain(send));
        assertNotIts("send", batch::start);
        assertTrue(pair.a.qp.tryPost(receive));
        var failed = new FutureTask<>(() -> assertThrows(WrongThreadException.class, () -> pair.a.qp.tryPost(receive)));
        Thread.ofPlatform().start(failed);
        assertTrue(failed.get().getMessage().contains("the receive queue of QueuePair"));
        idle.start();
        idle.join(); // what belonged to a thread that has ended goes to the first thread that uses it
        assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
        assertTrue(pair.a.qp.tryPost(send));
    }

    @Test
    void shouldDoTheRestOnTheThreadOfBothOnly() throws Exception {
        var idle = new Thread(() -> {});
        pair.a.qp.handOverReceives(idle);
        assertNotIts("receive", () -> pair.a.qp.tryPost(pair.a.receive(0, 8)));
        assertNotIts("receive", () -> pair.a.qp.modify(QueuePairTransition.to(QueuePairState.ERR)));
        assertNotIts("receive", () -> pair.a.qp.query());
        assertNotIts("receive", () -> pair.a.qp.handOver(Thread.currentThread()));
        assertNotIts("receive", () -> pair.a.qp.close());
        assertEquals(QueuePairState.RTS, pair.a.qp.state());
        pair.a.memory().set(ValueLayout.JAVA_LONG, 0, 7);
        assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
        assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8))); // still this thread's
        pair.b.awaitSuccess();
        idle.start();
        idle.join();
        assertTrue(pair.a.qp.tryPost(pair.a.receive(0, 8)));
        pair.a.qp.close();
        pair.a.qp.close();
        assertThrows(IllegalStateException.class, () -> pair.a.qp.tryPost(pair.a.send(0, 8)));
        assertThrows(IllegalStateException.class, () -> pair.a.qp.tryPost(pair.a.receive(0, 8)));
    }
}
