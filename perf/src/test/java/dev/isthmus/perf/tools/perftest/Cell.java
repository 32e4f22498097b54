// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A combination of test, transport and set-up that both languages must be able to run with each other. */
record Cell(PerfTest test, String transport, String setup, List<String> flags) {

    static Cell of(PerfTest test, String transport, String setup, String... flags) {
        return new Cell(test, transport, setup, List.of(flags));
    }

    /** Reads such as {@code send_lat RC TCP -e}. */
    static Cell parse(String line) {
        List<String> words = List.of(line.split(" ", -1));
        PerfTest test = PerfTest.valueOf(words.getFirst().toUpperCase(Locale.ROOT));
        return new Cell(test, words.get(1), words.get(2), words.subList(3, words.size()));
    }

    boolean isCm() {
        return setup.equals("CM");
    }

    /** This cell with eight times the duration, if it has one. */
    Cell longer() {
        var longer = new ArrayList<>(flags);
        int time = flags.indexOf("-D") + 1;
        if (time > 0) {
            longer.set(time, "" + 8 * Integer.parseInt(flags.get(time)));
        }
        return new Cell(test, transport, setup, List.copyOf(longer));
    }

    /** Whether it runs for a time, and not until a number of messages. */
    boolean isTimed() {
        return flags.contains("-D");
    }

    /** The flags that both ends are given. */
    List<String> common(int port) {
        List<String> all = new ArrayList<>(List.of("-F", "-c", transport, "-p", "" + port));
        if (isCm()) {
            all.add("-R");
        }
        if (!isTimed() && !flags.contains("-n")) {
            all.addAll(List.of("-n", "20"));
        }
        if (test.isBandwidth() && test.verb() != Verb.ATOMIC && !flags.contains("-s") && !flags.contains("-a")) {
            all.addAll(List.of("-s", transport.equals("UD") ? "512" : "2048"));
        }
        all.addAll(flags);
        return all;
    }

    @Override
    public String toString() {
        return String.format("%-10s  %-2s  %-3s  %s", test.command(), transport, setup, String.join(" ", flags))
                .stripTrailing();
    }
}
