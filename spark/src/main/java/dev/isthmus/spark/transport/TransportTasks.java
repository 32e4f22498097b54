// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.Timer;
import java.time.Duration;

/** Runs what a transport does later: on its own thread, or on those that read files. */
record TransportTasks(EventLoop loop, Readers readers, TransportLog log) {

    void execute(Runnable task) {
        loop.execute(task);
    }

    Timer schedule(Duration delay, Runnable task) {
        return loop.schedule(delay, task);
    }

    /** Reads on another thread, and then goes on here. If reading throws, that is logged, and this goes on, too. */
    void read(Runnable reads, Runnable then) {
        readers.run(() -> {
            try {
                reads.run();
            } catch (Throwable e) {
                log.log("reading threw", e);
            } finally {
                loop.execute(then);
            }
        });
    }
}
