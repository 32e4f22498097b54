// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
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

    @Parameters(
            paramLabel = "REGEX|JMH_OPTION",
            description = "benchmarks to run (default: all); and, after --, JMH's own options, which come before these:"
                    + " Call -- -prof stack -jvmArgs -Xmx1g; or -- -l, which lists the benchmarks")
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
    public Integer call() throws RunnerException, IOException {
        CommandLineOptions given = own();
        var runner = new Runner(options(given));
        if (given.shouldHelp()) {
            given.showHelp();
        } else if (given.shouldList()) {
            runner.list();
        } else if (given.shouldListWithParams()) {
            runner.listWithParams(given);
        } else if (given.shouldListProfilers()) {
            given.listProfilers();
        } else if (given.shouldListResultFormats()) {
            given.listResultFormats();
        } else {
            runner.run();
        }
        return 0;
    }

    /** What is given, and our defaults of what is not. */
    Options options(CommandLineOptions given) {
        TimeValue time = TimeValue.milliseconds(Math.max(1, Math.round(1000 * seconds)));
        return new OptionsBuilder()
                .parent(given)
                .forks(given.getForkCount().orElse(forks))
                .warmupIterations(given.getWarmupIterations().orElse(iterations))
                .measurementIterations(given.getMeasurementIterations().orElse(iterations))
                .warmupTime(given.getWarmupTime().orElse(time))
                .measurementTime(given.getMeasurementTime().orElse(time))
                .addProfiler(GCProfiler.class)
                .jvmArgsAppend(appended(given))
                .shouldFailOnError(given.shouldFailOnError().orElse(true))
                .build();
    }

    private static String[] appended(CommandLineOptions given) {
        var appended = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
        Collection<String> last = given.getJvmArgsAppend().orElse(List.of());
        boolean choosesCollector = Stream.of(
                        given.getJvmArgsPrepend().orElse(List.of()),
                        given.getJvmArgs().orElse(List.of()),
                        last)
                .flatMap(Collection::stream)
                .anyMatch(option -> option.matches("-XX:\\+Use\\w+GC"));
        if (!choosesCollector) { // a JVM takes one only
            appended.add("-XX:+UseSerialGC");
        }
        appended.addAll(last);
        return appended.toArray(String[]::new);
    }

    private CommandLineOptions own() {
        try {
            return new CommandLineOptions(own.toArray(String[]::new));
        } catch (CommandLineOptionException e) {
            throw new ParameterException(spec.commandLine(), "JMH: " + e.getMessage(), e);
        }
    }
}
