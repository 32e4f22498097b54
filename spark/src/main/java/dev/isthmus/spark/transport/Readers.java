// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/** Threads that read files. */
final class Readers implements AutoCloseable {

    private final ExecutorService threads;

    Readers(int count) {
        threads = Executors.newFixedThreadPool(
                count,
                Thread.ofPlatform().daemon().name("isthmus-spark-reader-", 1).factory());
    }

    void run(Runnable reads) {
        try {
            threads.execute(reads);
        } catch (RejectedExecutionException e) { // this is being closed, and waits for this read's result
            reads.run();
        }
    }

    /** Waits until all reads have ended. */
    @Override
    public void close() {
        threads.close();
    }
}
