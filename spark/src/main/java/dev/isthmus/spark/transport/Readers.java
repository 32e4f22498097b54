// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads that read files. */
final class Readers implements AutoCloseable {

    private final ThreadPoolExecutor threads;

    /** Starts the threads: later there might be no more of them, and a read would never end. */
    Readers(int count) {
        threads = new ThreadPoolExecutor(
                count,
                count,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("isthmus-spark-reader-", 1).factory());
        boolean started = false;
        try {
            threads.prestartAllCoreThreads();
            started = true;
        } finally {
            if (!started) {
                threads.shutdown();
            }
        }
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
