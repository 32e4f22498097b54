// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** The tasks that other threads have given a loop. Those of one thread run in their order. */
final class Tasks {

    private final Object loop; // for messages
    private final int maxTasks;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private volatile boolean ended; // no task is accepted any more
    private boolean closing; // a task or handler has asked for that; used by the loop's own thread only

    Tasks(Object loop, int most) {
        this.loop = loop;
        this.maxTasks = most;
    }

    void add(Runnable task) {
        if (size.incrementAndGet() > maxTasks || ended) {
            size.decrementAndGet();
            throw new RejectedExecutionException(
                    ended ? loop + " is closed" : loop + " has " + maxTasks + " tasks that wait: try again later");
        }
        enqueue(task);
    }

    /** Adds a task even if there are as many as allowed. */
    void addLast(Runnable task) {
        size.incrementAndGet();
        enqueue(task);
    }

    private void enqueue(Runnable task) {
        queue.add(task);
        if (ended && queue.remove(task)) { // otherwise it was taken at the end
            throw new RejectedExecutionException(loop + " is closed");
        }
    }

    boolean isClosing() {
        return closing;
    }

    /** Says whether the loop is to be closed before another task runs. */
    void closing(boolean soon) {
        closing = soon;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Runs at most this many tasks, or until one closes the loop; returns whether it ran any. */
    boolean run(int atMost) {
        int ran = 0;
        Runnable task;
        while (ran < atMost && !closing && (task = queue.poll()) != null) {
            ran++;
            size.decrementAndGet();
            task.run();
        }
        return ran > 0;
    }

    /** From now on, no task is accepted. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Ends the waits of callers for tasks that will not run. */
    void reject() {
        Runnable task;
        while ((task = queue.poll()) != null) {
            if (task instanceof TaskFuture<?> future) {
                future.reject(new RejectedExecutionException(loop + " was closed before the task was run"));
            }
        }
    }
}
