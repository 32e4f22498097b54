// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code ucx_perftest}: the first words of its command, and its output. */
public final class UcxPerftest {

    private static final String PROGRAM = "ucx_perftest";

    /** Comes before the last line, unless only that is printed. */
    private static final String FINAL = "Final:";

    private static final int COLUMNS = 8;

    private UcxPerftest() {}

    /**
     * A line of figures, of all messages.
     *
     * @param percentileMicros of a message, or half a round trip of a ping-pong; only of the last messages
     * @param averageMicros of a message, or half a round trip of a ping-pong
     * @param messagesPerSecond in both directions for a ping-pong
     */
    public record Results(double percentileMicros, double averageMicros, double messagesPerSecond) {}

    /**
     * The first words of the command, to add arguments to. If the tool was built with MPI, like Debian 13's, it expects MPI to
     * start it where there is no terminal.
     */
    public static List<String> words() throws IOException {
        boolean mpi = Tool.ask(PROGRAM, "-h").text().contains("-P <0|1>");
        return new ArrayList<>(mpi ? List.of(PROGRAM, "-P", "0") : List.of(PROGRAM));
    }

    /** Finds the last figures in a client's output; throws if there are none. */
    public static Results parse(String output) throws IOException {
        for (String line : output.lines().toList().reversed()) {
            String[] fields = line.replaceFirst("^" + FINAL, "").strip().split("\\s+", -1);
            if (fields.length == COLUMNS && fields[0].matches("[0-9]+")) {
                return new Results(
                        Double.parseDouble(fields[1]), Double.parseDouble(fields[3]), Double.parseDouble(fields[7]));
            }
        }
        throw new IOException(PROGRAM + " printed no figures"
                + output.lines()
                        .filter(line -> !line.isBlank())
                        .reduce((a, b) -> b)
                        .map(last -> ", but: " + last)
                        .orElse(""));
    }
}
