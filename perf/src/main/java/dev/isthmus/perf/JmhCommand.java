package dev.isthmus.perf;

import dev.isthmus.perf.bench.VerbsBenchmark;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the JMH benchmarks with the GC profiler. */
@Command(
        name = "jmh",
        mixinStandardHelpOptions = true,
        description = "Runs the micro-benchmarks with the GC profiler. Those of verbs need an RDMA device,"
                + " as `isthmus testbed` gives one.")
final class JmhCommand implements Callable<Integer> {

    @Parameters(arity = "0..1", paramLabel = "REGEX", description = "which ones (default: all)")
    private String regex = VerbsBenchmark.class.getPackageName();

    @Option(
            names = "--forks",
            paramLabel = "N",
            description = "in so many JVMs of their own, 0 for this one (default: ${DEFAULT-VALUE})")
    private int forks = 1;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "how many are measured, and how many warm up (default: ${DEFAULT-VALUE})")
    private int iterations = 5;

    @Option(names = "--seconds", paramLabel = "S", description = "how long each takes (default: ${DEFAULT-VALUE})")
    private double seconds = 2;

    @Override
    public Integer call() throws RunnerException {
        TimeValue time = TimeValue.milliseconds(Math.max(1, Math.round(1000 * seconds)));
        var options = new OptionsBuilder()
                .include(regex)
                .forks(forks)
                .warmupIterations(iterations)
                .measurementIterations(iterations)
                .warmupTime(time)
                .measurementTime(time)
                .addProfiler(GCProfiler.class)
                .jvmArgsAppend("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC")
                .shouldFailOnError(true)
                .build();
        new Runner(options).run();
        return 0;
    }
}
