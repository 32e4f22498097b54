// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import dev.isthmus.spark.transport.Settings;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value of {@code spark.plugins}: starts UCX in the executors before they run tasks, and lets the driver tell them
 * about each other. The other half is {@link UcxShuffleManager}.
 */
public final class UcxShufflePlugin implements SparkPlugin {

    private static final Logger LOG = LoggerFactory.getLogger(UcxShufflePlugin.class);

    /** Spark redacts settings of this name where it shows them. */
    private static final String SECRET = "secret";

    /** The id of the executor that is the driver: SparkContext.DRIVER_IDENTIFIER, which is private. */
    private static final String DRIVER = "driver";

    /** Present if executors are to report, for the tab in the web UI. */
    private static final String REPORT = "report";

    private static final Duration REPORT_EVERY = Duration.ofSeconds(2);

    /** Makes UCX report dead peers over shared memory, too. UCX reads this from the environment only. */
    private static final String SHARED_MEMORY = "UCX_POSIX_ERROR_HANDLING";

    /** Called by Spark. */
    public UcxShufflePlugin() {}

    /**
     * What the executor of this process has done over UCX so far, for programs that compare. Thread-safe.
     *
     * @return figures by their names in Spark's metrics system; none if all blocks use Spark's own transfer
     */
    public static Map<String, Long> figures() {
        UcxExecutor executor = UcxExecutor.current();
        return executor == null ? Map.of() : executor.figures();
    }

    /**
     * The connections that the executor of this process has made. Thread-safe.
     *
     * @return UCX's transports, and how many connections use each, such as {@code 3 x tcp/eth0; 1 x posix/memory.0}; an
     *     empty text if there are none
     */
    public static String connections() {
        UcxExecutor executor = UcxExecutor.current();
        return executor == null ? "" : executor.connections();
    }

    @Override
    public DriverPlugin driverPlugin() {
        return new Driver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new Executor();
    }

    private static final class Driver implements DriverPlugin {
        private final Directory.Master directory = new Directory.Master();
        private volatile ExecutorReports reports = new ExecutorReports(0);

        @Override
        public Map<String, String> init(SparkContext spark, PluginContext context) {
            Optional<String> refusal = UnsupportedSettings.of(spark.conf(), spark.version());
            if (refusal.isPresent()) {
                LOG.warn("Shuffle blocks use Spark's own transfer: {}", refusal.get());
                return Map.of();
            }
            Settings settings = UcxSettings.of(spark.conf()); // a wrong setting fails here
            VerbsSettings verbs = VerbsSettings.of(spark.conf());
            LOG.info("Executors will fetch shuffle blocks over UCX, with {} and {}", settings, verbs);
            String key = "spark.executorEnv." + SHARED_MEMORY;
            if (!spark.conf().contains(key)) {
                spark.conf().set(key, "y");
                spark.executorEnvs().put(SHARED_MEMORY, "y");
            }
            reports = new ExecutorReports(spark.conf().getInt("spark.ui.retainedDeadExecutors", 100));
            spark.addSparkListener(new RemovedExecutors(directory, reports));
            byte[] secret = new byte[32];
            new SecureRandom().nextBytes(secret);
            var told = new HashMap<>(Map.of(SECRET, HexFormat.of().formatHex(secret)));
            if (spark.ui().isDefined() && addTab(spark)) {
                told.put(REPORT, "");
            }
            return told;
        }

        /** Returns whether the tab was added. A page that fails is no reason to do without UCX. */
        private boolean addTab(SparkContext spark) {
            try {
                UcxTab.attach(spark.ui().get(), reports);
                spark.addSparkListener(new ReadsByExecutor(reports));
                return true;
            } catch (RuntimeException | LinkageError e) {
                LOG.warn("Spark's web UI has no tab for UCX", e);
                return false;
            }
        }

        @Override
        public Object receive(Object message) {
            Optional<ExecutorReport> report = ExecutorReport.of(message);
            if (report.isPresent()) {
                reports.add(report.get());
                return null; // no executor waits for an answer
            }
            return directory.receive(message);
        }
    }

    private static final class Executor implements ExecutorPlugin {
        private ExecutorReporter reporter; // null if there is no tab

        @Override
        public void init(PluginContext context, Map<String, String> extra) {
            String secret = extra.get(SECRET);
            if (secret == null) {
                LOG.info("Shuffle blocks use Spark's own transfer, as the driver says");
                return;
            }
            // The context's own hostname() is right in the driver only. The driver is the executor of a local master,
            // and
            // has no block manager yet.
            String host = context.executorID().equals(DRIVER)
                    ? context.hostname()
                    : SparkEnv.get().blockManager().blockManagerId().host();
            UcxExecutor executor;
            try {
                executor = UcxExecutor.start(
                        context.conf(),
                        secret(context.conf(), HexFormat.of().parseHex(secret)),
                        context.executorID(),
                        host,
                        new Directory(message -> ask(context, message)),
                        context.metricRegistry());
            } catch (RuntimeException | LinkageError | OutOfMemoryError e) { // the executor works without UCX, too
                LOG.warn("Shuffle blocks of this executor use Spark's own transfer: {}", e.getMessage(), e);
                return;
            }
            if (extra.containsKey(REPORT)) {
                reporter = new ExecutorReporter(executor, context.executorID(), host, context::send, REPORT_EVERY);
            }
        }

        /** What all executors of the application know; if Spark authenticates them, nobody else does. */
        private static byte[] secret(SparkConf conf, byte[] ofDriver) {
            return conf.getBoolean("spark.authenticate", false)
                    ? UcxSettings.secret(SparkEnv.get().securityManager().getSecretKey(), ofDriver)
                    : ofDriver;
        }

        private static Object ask(PluginContext context, Object message) {
            try {
                return context.ask(message);
            } catch (RuntimeException e) {
                throw e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while asking the driver", e);
            } catch (Exception e) {
                throw new IllegalStateException("the driver does not answer", e);
            }
        }

        @Override
        public void shutdown() {
            if (reporter != null) {
                reporter.close();
            }
            UcxExecutor executor = UcxExecutor.current();
            if (executor != null) {
                executor.close();
            }
        }
    }
}
