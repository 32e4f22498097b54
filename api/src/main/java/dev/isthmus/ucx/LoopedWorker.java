// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.Polled;
import dev.isthmus.loop.Registration;
import java.time.Duration;

/** A worker that a loop progresses, on the loop's thread. */
final class LoopedWorker implements Polled {

    private final UcpWorker worker;
    private final EventLoop loop;
    private final UcpCompletions completions; // null without a handler
    private final UcpCompletionHandler handler;
    private Registration registration; // null until the worker is complete

    LoopedWorker(UcpWorker worker, EventLoop loop, UcpWorkerConfig config) {
        this.worker = worker;
        this.loop = loop;
        this.completions = config.completions();
        this.handler = config.completionHandler();
    }

    /** The worker is complete: the loop may use it from now on. */
    void register() {
        registration = loop.add(this);
    }

    /** The worker is being destroyed. */
    void unregister() {
        registration.close();
    }

    @Override
    public boolean poll() {
        if (worker.owner().isClosed()) {
            return false;
        }
        boolean busy = worker.progress() != 0;
        if (completions == null || worker.owner().isClosed() || worker.poll(completions) == 0) {
            return busy;
        }
        handler.onCompletions(completions);
        return true;
    }

    @Override
    public boolean arm() {
        return worker.wakeup().arm();
    }

    @Override
    public int fileDescriptor() {
        return worker.wakeup().fileDescriptor();
    }

    @Override
    public Duration longestSleep(Duration most) {
        return worker.wakeup().atMost(most);
    }
}
