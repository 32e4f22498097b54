// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import dev.isthmus.perf.bench.VerbsBenchmark;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs the JMH benchmarks with the GC profiler. */
@Command(
        name = "jmh",
        mixinStandardHelpOptions = true,
        description = "Runs the micro-benchmarks with the GC profiler. The verbs benchmarks need an RDMA device,"
                + " such as `isthmus testbed` provides.")
final class JmhCommand implements Callable<Integer> {

    @Parameters(index = "0", arity = "0..1", paramLabel = "REGEX", description = "benchmarks to run (default: all)")
    private String regex = VerbsBenchmark.class.getPackageName();

    @Parameters(
            index = "1..*",
            paramLabel = "JMH_OPTION",
            description = "JMH's own options, after a regex and --: Call -- -prof stack -jvmArgs -Xmx1g")
    private List<String> own = List.of();

    @Option(
            names = "--forks",
            paramLabel = "N",
            description = "how many JVMs to run each benchmark in; 0 uses this one (default: ${DEFAULT-VALUE})")
    private int forks = 3;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "iterations to measure, and as many to warm up (default: ${DEFAULT-VALUE})")
    private int iterations = 5;

    @Option(names = "--seconds", paramLabel = "S", description = "duration of an iteration (default: ${DEFAULT-VALUE})")
    private double seconds = 2;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws RunnerException {
        CommandLineOptions given = own();
        TimeValue time = TimeValue.milliseconds(Math.max(1, Math.round(1000 * seconds)));
        var options = new OptionsBuilder()
                .parent(given)
                .include(regex)
                .forks(given.getForkCount().orElse(forks))
                .warmupIterations(given.getWarmupIterations().orElse(iterations))
                .measurementIterations(given.getMeasurementIterations().orElse(iterations))
                .warmupTime(given.getWarmupTime().orElse(time))
                .measurementTime(given.getMeasurementTime().orElse(time))
                .addProfiler(GCProfiler.class)
                .jvmArgsAppend("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC")
                .shouldFailOnError(true)
                .build();
        new Runner(options).run();
        return 0;
    }

    private CommandLineOptions own() {
        try {
            return new CommandLineOptions(own.toArray(String[]::new));
        } catch (CommandLineOptionException e) {
            throw new ParameterException(spec.commandLine(), "JMH: " + e.getMessage(), e);
        }
    }
}
