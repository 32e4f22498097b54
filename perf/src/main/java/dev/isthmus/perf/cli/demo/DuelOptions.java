// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options about rounds, here and in the testbed. */
final class DuelOptions {

    private static final int MIN_ITERATIONS = 100;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "BYTES",
            defaultValue = "8,64,4096",
            description = "message sizes (default: ${DEFAULT-VALUE})")
    private List<Integer> sizes = List.of();

    @Option(
            names = "--iters",
            paramLabel = "N",
            defaultValue = "3000",
            description =
                    "messages each way in a round over verbs, 10 times as many over UCX (default: ${DEFAULT-VALUE})")
    private int iterations;

    @Option(
            names = "--rounds",
            paramLabel = "R",
            defaultValue = "7",
            description =
                    "rounds of each side at each size over verbs, twice as many over UCX (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    List<Integer> sizes() {
        for (int size : sizes) {
            check("--sizes", size, 1);
        }
        return sizes;
    }

    int iterations() {
        return check("--iters", iterations, MIN_ITERATIONS);
    }

    int rounds() {
        return check("--rounds", rounds, 1);
    }

    /** These options as words of a command line. */
    List<String> arguments() {
        String joined = String.join(",", sizes().stream().map(String::valueOf).toList());
        return List.of("--sizes", joined, "--iters", "" + iterations(), "--rounds", "" + rounds());
    }

    private int check(String option, int value, int min) {
        if (value < min) {
            throw new ParameterException(spec.commandLine(), option + " takes numbers from " + min + ", not " + value);
        }
        return value;
    }
}
