// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the driver what this executor has done, whenever that has changed, for the tab in Spark's web UI. */
final class ExecutorReporter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExecutorReporter.class);

    /** The connection to the driver. */
    interface DriverChannel {
        void send(Object message) throws IOException;
    }

    private final UcxExecutor executor;
    private final String id;
    private final String host;
    private final DriverChannel driver;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().daemon().name("isthmus-spark-report").unstarted(task));
    private ExecutorReport last; // guarded by this

    ExecutorReporter(UcxExecutor executor, String id, String host, DriverChannel driver, Duration every) {
        this.executor = executor;
        this.id = id;
        this.host = host;
        this.driver = driver;
        var _ = ticker.scheduleWithFixedDelay(this::report, 0, every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void report() {
        var now = new ExecutorReport(id, host, executor.connections(), executor.figures());
        if (now.equals(last)) {
            return;
        }
        try {
            driver.send(now.message());
            last = now;
        } catch (IOException | RuntimeException e) { // the next report has everything
            LOG.debug("the driver did not get the report on UCX", e);
        }
    }

    /** Sends the final figures. */
    @Override
    public void close() {
        ticker.shutdownNow();
        report();
    }
}
