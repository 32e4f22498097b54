// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Messages that have arrived, and wait to be handled once UCX has returned. Confined to one thread. */
final class Inbox {

    private final Executor executor;
    private final Consumer<ByteBuffer> handler;
    private final Deque<ByteBuffer> waiting = new ArrayDeque<>();
    private boolean scheduled;

    /** The executor runs tasks later, on the same thread. */
    Inbox(Executor executor, Consumer<ByteBuffer> handler) {
        this.executor = executor;
        this.handler = handler;
    }

    /** Adds a message. If the executor rejects the task, throws its exception; the next message then tries again. */
    void add(ByteBuffer message) {
        waiting.add(message);
        schedule();
    }

    private void schedule() {
        if (!scheduled) {
            executor.execute(this::handleAll);
            scheduled = true; // not before: a rejected task will never run
        }
    }

    /** Handles all of them, so that no more pile up than a turn or two of the loop brings. */
    private void handleAll() {
        try {
            while (!waiting.isEmpty()) {
                handler.accept(waiting.remove());
            }
        } finally {
            scheduled = false;
            if (!waiting.isEmpty()) { // the handler has thrown
                schedule();
            }
        }
    }
}
