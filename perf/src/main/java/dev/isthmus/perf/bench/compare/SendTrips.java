// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.common.Timetable;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * Round trips of SEND at a fixed rate: this thread begins them, whether or not the earlier ones have returned, and a
 * thread at the other end answers each. Both poll. {@code verbs.c} has the same in C, line by line: change both.
 * Allocates nothing while it counts, once it has seen the longest.
 */
final class SendTrips {

    /** This many may be under way. What is due beyond them waits, and the wait counts. */
    private static final int WINDOW = VerbsEnd.QUEUE / 2;

    private static final long SENT = 1;

    private final QueuePair qp;
    private final CompletionQueue queue;
    private final SendRequest send;
    private final ReceiveRequest receive;
    private final WorkCompletions done = WorkCompletions.allocate(1);

    /** Creates an end, which belongs to this thread. */
    private SendTrips(VerbsEnd end, int bytes) throws IOException {
        qp = end.pair();
        queue = end.queue();
        send = SendRequest.prepare(end.region()).range(0, bytes).wrId(SENT).signaled(true);
        receive = ReceiveRequest.prepare(end.region()).range(bytes, bytes);
        for (int i = 0; i < WINDOW; i++) {
            receive();
        }
    }

    /** Creates both ends, and makes them send. */
    static Measured run(Job job) throws IOException {
        int bytes = job.bytes();
        Timetable timetable = Trips.timetable(job, 0);
        return VerbsEnd.run(job, 2L * bytes, (client, server) -> {
            var listening = new CountDownLatch(1);
            var echo = new FutureTask<Void>(() -> {
                SendTrips end;
                try {
                    end = new SendTrips(server, bytes);
                } finally {
                    listening.countDown();
                }
                end.answer(job.iterations());
                return null;
            });
            Thread thread = Thread.ofPlatform().daemon().name("echo").unstarted(echo);
            server.pair().handOver(thread);
            server.queue().handOver(thread);
            thread.start();
            try {
                var end = new SendTrips(client, bytes);
                listening.await();
                Spent before = Spent.soFar();
                end.ask(timetable, echo);
                Spent spent = Spent.soFar().since(before);
                echo.get();
                return Measured.trips(timetable).withSpent(spent);
            } catch (ExecutionException e) {
                throw new IOException("the other end: " + e.getCause().getMessage(), e);
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                stop(thread);
            }
        });
    }

    /** Once a thread has ended, others can close what belonged to it. */
    private static void stop(Thread thread) {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ask(Timetable timetable, Future<Void> echo)
            throws IOException, ExecutionException, InterruptedException {
        timetable.start(System.nanoTime());
        while (!timetable.isOver()) {
            if (timetable.underWay() < WINDOW && timetable.isDue()) {
                timetable.begin();
                send();
            }
            if (hasArrived()) {
                timetable.end();
            } else if (echo.state() == Future.State.FAILED) {
                echo.get();
            }
        }
    }

    private void answer(long iterations) throws IOException {
        for (long i = 0; i < iterations && !Thread.currentThread().isInterrupted(); ) {
            if (hasArrived()) {
                send();
                i++;
            }
        }
    }

    private void send() throws IOException {
        if (!qp.tryPost(send)) {
            throw new IOException("the send queue is full, though no more are under way than half of it");
        }
    }

    private void receive() throws IOException {
        if (!qp.tryPost(receive)) {
            throw new IOException("the receive queue is full, though no more are posted than half of it");
        }
    }

    /** Whether a message has arrived, so that another one can be received in its place. */
    private boolean hasArrived() throws IOException {
        if (queue.poll(done) == 0) {
            return false;
        }
        if (!done.isSuccess(0)) {
            throw new IOException("a message failed: " + done);
        }
        if (done.wrId(0) == SENT) {
            return false;
        }
        receive();
        return true;
    }
}
