// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.stream.LongStream;

/** The results of a run of the program in {@code dev.isthmus.spark.trial}. */
record Trial(ShuffleWay way, Properties results) {

    static Trial read(ShuffleWay way, Path file) throws IOException {
        var results = new Properties();
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            results.load(reader);
        }
        return new Trial(way, results);
    }

    /** What was measured, in its order. */
    List<String> titles() {
        return List.of(text("titles").split(" ", -1));
    }

    /** A result of a shuffle or of the run. */
    String text(String name) {
        String value = results.getProperty(name);
        if (value == null) {
            throw new IllegalStateException("the program did not write " + name + ", but " + results.keySet());
        }
        return value;
    }

    /** A result each time that it was measured. */
    LongStream numbers(String name) {
        return Arrays.stream(text(name).split(" ", -1)).mapToLong(Long::parseLong);
    }

    /** The sum of a result over all times. */
    long number(String name) {
        return numbers(name).sum();
    }
}
