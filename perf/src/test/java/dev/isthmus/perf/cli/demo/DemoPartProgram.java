// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import dev.isthmus.perf.common.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A part of a demo, for tests of how it ends: prints where it runs, measures two rounds, and ends in the way that its
 * arguments say.
 */
final class DemoPartProgram {

    private DemoPartProgram() {}

    /** Arguments: the path, whether to be on an emulated processor, a file that the first run makes, how to end. */
    public static void main(String... args) throws IOException, InterruptedException {
        Path mark = Path.of(args[2]);
        boolean first = !Files.exists(mark);
        Files.writeString(mark, "");
        print(new Event("starting", null, null, Boolean.valueOf(args[1])));
        for (Side side : List.of(Side.C, Side.JAVA)) {
            print(new Event(null, new DemoReport.Sample(args[0], 8, side, 1, first ? 1 : 2, 1), null, null));
        }
        switch (args[3]) {
            case "well" -> {}
            case "crash" -> crash();
            case "crash-once" -> {
                if (first) {
                    crash();
                }
            }
            default -> {
                System.err.println(args[3]);
                System.exit(1);
            }
        }
    }

    private static void print(Event event) throws IOException {
        System.out.println(DemoReport.JSON.writeValueAsString(event));
    }

    /** A real end by a signal, with the JVM's error report. */
    private static void crash() throws IOException, InterruptedException {
        new ProcessBuilder("sh", "-c", "kill -SEGV $PPID").start(); // a small system has only the shell's kill
        Thread.sleep(60_000); // the signal ends this
    }
}
