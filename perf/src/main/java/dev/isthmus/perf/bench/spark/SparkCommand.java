// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import dev.isthmus.perf.common.ByteSize;
import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Scratch;
import dev.isthmus.perf.process.Stopping;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus spark}: a sort and a groupBy, or queries, alternately with Spark's own shuffle and over UCX. */
@Command(
        name = "spark",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Sorts and groups with Apache Spark 4.2 or 4.3, alternately with Spark's own shuffle and over UCX, checks that"
                    + " the results agree, and prints one table. Without --master it starts a cluster of two workers on"
                    + " this machine."
                    + " One machine can show that it works and what it costs, but not what a network card gains you.",
            "",
            "With --queries it runs eight queries in SQL over tables like those of TPC-H instead.",
            "",
            "A cluster of your own: ./isthmus spark --master spark://HOST:7077 --spark-home DIR --size 100G",
            "docs/spark.md explains the figures.",
            ""
        })
public final class SparkCommand implements Callable<Integer> {

    private static final Set<String> COMPARED = Set.of("spark.shuffle.manager", "spark.plugins");
    private static final String WORKER_MEMORY = "1500m";
    private static final int WARM_UP_SHUFFLES = 4; // of each kind: until then, code is compiled that runs often
    private static final long MAX_WARM_UP = 4L << 30; // unless --warm-up says so
    private static final int READINGS = 5; // one may have a collection of garbage more than the next
    private static final int MAX_SCALE = 10_000; // row numbers are random ints
    private static final int INTERRUPTED = 130; // the JVM's status after SIGINT

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "200M",
            description = "bytes of each shuffle, with K, M, G or T (default: ${DEFAULT-VALUE})")
    private String size = "";

    @Option(
            names = "--warm-up",
            paramLabel = "BYTES",
            description = "bytes that each way sorts, and groups, before anything counts, in shuffles of --size"
                    + " (default: four times --size, but 4G at most)")
    private Optional<String> warmUp = Optional.empty();

    @Option(names = "--queries", description = "eight queries in SQL rather than a sort and a groupBy")
    private boolean queries;

    @Option(
            names = "--scale",
            paramLabel = "N",
            description = "with --queries: rows of the tables, of which the longest has N times 6,000,000 (default: 1)")
    private Optional<Double> scale = Optional.empty();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "2",
            description = "how often each way runs (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--readings", paramLabel = "N", description = "how often each run reads each shuffle (default: 5)")
    private Optional<Integer> readings = Optional.empty();

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "0",
            description = "partitions on both sides of each shuffle (default: twice as many as there are cores; of"
                    + " queries what Spark does by default)")
    private int partitions;

    @Option(names = "--master", paramLabel = "URL", description = "an existing cluster, as for spark-submit")
    private Optional<String> master = Optional.empty();

    @Option(
            names = "--spark-home",
            paramLabel = "DIR",
            description =
                    "an installed Spark 4.2 or 4.3 (default: with --master $SPARK_HOME, otherwise Maven Central's jars)")
    private Optional<Path> sparkHome = Optional.empty();

    @Option(
            names = "--conf",
            paramLabel = "KEY=VALUE",
            description = "a setting of Spark, for both ways; may be repeated")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--addresses",
            paramLabel = "A,B",
            defaultValue = "127.0.0.1,127.0.0.1",
            description = {
                "addresses of this machine for the two workers (default: ${DEFAULT-VALUE});",
                "A@DEVICE,B@DEVICE also names the device that UCX uses there, such as mlx5_0:1"
            })
    private String addresses = "";

    @Option(names = "--keep", description = "keep the logs, and print where they are")
    private boolean keep;

    /** For tests, which get the jars before they have no network. */
    @Option(names = "--jars", paramLabel = "DIR", hidden = true)
    private Optional<Path> jars = Optional.empty();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        long bytes;
        long warmUpBytes;
        List<WorkerPlace> places;
        try {
            bytes = ByteSize.parse(size).orElse(0);
            warmUpBytes = warmUp.isPresent()
                    ? ByteSize.parse(warmUp.get()).orElse(-1)
                    : Math.min(WARM_UP_SHUFFLES * Math.min(bytes, MAX_WARM_UP), MAX_WARM_UP);
            places = WorkerPlace.parse(addresses);
            check(bytes, warmUpBytes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        Path jar = SparkHome.isthmusJar(); // checked first: without it everything else is in vain
        List<Trial> trials = trials(places, arguments(bytes, warmUpBytes), System.err);
        if (trials.isEmpty()) {
            return INTERRUPTED;
        }
        var table = new SparkTable(trials);
        spec.commandLine().getOut().print(table.format(master.isEmpty(), jar));
        spec.commandLine().getOut().flush();
        return table.isGood() ? 0 : 1;
    }

    /** What the program is told, apart from its file. */
    private List<String> arguments(long bytes, long warmUpBytes) {
        String all = Integer.toString(partitions);
        return queries
                ? List.of(Double.toString(scale.orElse(1.0)), all)
                : List.of(
                        Long.toString(bytes),
                        Long.toString(warmUpBytes),
                        Integer.toString(readings.orElse(READINGS)),
                        all);
    }

    /** Runs all trials; empty if a signal has ended them. */
    private List<Trial> trials(List<WorkerPlace> places, List<String> arguments, PrintStream err)
            throws IOException, InterruptedException {
        List<Trial> trials = new ArrayList<>();
        try (var scratch = new Scratch("isthmus-spark-");
                var children = new Children();
                var progress = Progress.on(err)) {
            try {
                Submission submission = prepare(scratch, children, progress, places, arguments);
                runAll(submission, children, progress, trials);
            } catch (IOException e) {
                if (Stopping.hasBegun()) {
                    return List.of();
                }
                scratch.keep();
                throw new IOException(e.getMessage() + "\nThe logs are in " + scratch.folder(), e);
            }
            if (keep) {
                scratch.keep();
                progress.say("isthmus: the logs are in " + scratch.folder());
            }
        }
        return trials;
    }

    private void check(long bytes, long warmUpBytes) {
        if (bytes == 0) {
            throw new IllegalArgumentException(
                    "--size takes a number of bytes, optionally with K, M, G or T, such as 200M, not " + size);
        }
        if (warmUpBytes < 0) {
            throw new IllegalArgumentException(
                    "--warm-up takes a number of bytes, optionally with K, M, G or T, such as"
                            + " 1G, or 0 for none, not " + warmUp.get());
        }
        if (queries && warmUp.isPresent()) {
            throw new IllegalArgumentException("--warm-up is that of a sort and a groupBy; each query runs once");
        }
        if (queries && readings.isPresent()) {
            throw new IllegalArgumentException("--readings is that of a sort and a groupBy; each query runs once");
        }
        if (readings.orElse(READINGS) < 1) {
            throw new IllegalArgumentException("--readings must be at least 1, not " + readings.get());
        }
        if (queries && spec.commandLine().getParseResult().hasMatchedOption("--size")) {
            throw new IllegalArgumentException("--size is that of a sort and a groupBy; queries have --scale");
        }
        if (scale.isPresent() && !queries) {
            throw new IllegalArgumentException("--scale is that of queries: add --queries");
        }
        if (scale.isPresent() && !(scale.get() > 0 && scale.get() <= MAX_SCALE)) {
            throw new IllegalArgumentException(
                    "--scale takes a number up to " + MAX_SCALE + ", such as 0.1, not " + scale.get());
        }
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds must be at least 1, not " + rounds);
        }
        if (partitions < 0) {
            throw new IllegalArgumentException("--partitions must be at least 0, not " + partitions);
        }
        for (String setting : settings) {
            String key = setting.split("=", 2)[0];
            if (!setting.contains("=")) {
                throw new IllegalArgumentException("--conf takes KEY=VALUE, not " + setting);
            }
            if (COMPARED.contains(key)) {
                throw new IllegalArgumentException("--conf " + key + ": that is what this command compares");
            }
        }
    }

    private SparkHome home(Path folder, Children children) throws IOException, InterruptedException {
        Optional<Path> installed = sparkHome;
        if (installed.isEmpty() && master.isPresent()) {
            installed = Optional.ofNullable(System.getenv("SPARK_HOME")).map(Path::of);
        }
        if (installed.isPresent()) {
            return SparkHome.installed(installed.get());
        }
        return SparkHome.of(jars.isPresent() ? jars.get() : SparkHome.download(children), folder.resolve("spark"));
    }

    private Submission prepare(
            Scratch scratch, Children children, Progress progress, List<WorkerPlace> places, List<String> arguments)
            throws IOException, InterruptedException {
        SparkHome spark = home(scratch.folder(), children);
        var all = new ArrayList<>(List.of(
                "spark.ui.enabled=false",
                "spark.dynamicAllocation.enabled=false",
                "spark.scheduler.minRegisteredResourcesRatio=1.0",
                "spark.scheduler.maxRegisteredResourcesWaitingTime=600s"));
        String url = master.orElse("");
        Optional<String> address = Optional.empty();
        if (master.isEmpty()) {
            progress.update("starting a cluster of two workers");
            url = new StandaloneCluster(spark, children, scratch.folder()).start(places, WORKER_MEMORY);
            address = Optional.of(places.getFirst().address());
            all.addAll(List.of(
                    "spark.shuffle.readHostLocalDisk=false", // otherwise nothing would cross the network on one host
                    "spark.cores.max=2",
                    "spark.executor.cores=1",
                    "spark.executor.memory=1g"));
            if (settings.stream().noneMatch(setting -> setting.startsWith("spark.executor.memory="))) {
                // A heap that grows takes fresh pages from the kernel, one way more of them than the other.
                all.add("spark.executor.extraJavaOptions=-Xms1g -XX:+AlwaysPreTouch");
            }
        }
        all.addAll(settings);
        return new Submission(
                spark,
                url,
                address,
                all,
                "dev.isthmus.spark.trial." + (queries ? "QueryTrial" : "ShuffleTrial"),
                arguments,
                scratch.folder());
    }

    /** The ways take turns to begin, as the second one may be better or worse off. */
    private void runAll(Submission submission, Children children, Progress progress, List<Trial> trials)
            throws IOException, InterruptedException {
        for (int round = 1; round <= rounds; round++) {
            List<ShuffleWay> ways = round % 2 == 1
                    ? List.of(ShuffleWay.SPARK, ShuffleWay.UCX)
                    : List.of(ShuffleWay.UCX, ShuffleWay.SPARK);
            for (ShuffleWay way : ways) {
                trials.add(submission.run(way, round, children, progress));
            }
        }
    }
}
