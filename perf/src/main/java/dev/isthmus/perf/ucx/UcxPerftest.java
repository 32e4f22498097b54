// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Ports;
import dev.isthmus.perf.process.Tool;
import dev.isthmus.perf.process.ToolRun;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code ucx_perftest} with itself on this machine, and what it prints: two new processes for each run. */
public final class UcxPerftest {

    private static final String PROGRAM = "ucx_perftest";

    /** Before the last line, unless only that is printed. */
    private static final String FINAL = "Final:";

    private static final int COLUMNS = 8;

    private final Map<String, String> environment;
    private final Children children;
    private final List<String> words;

    /** None runs yet; throws if it cannot be started. */
    public UcxPerftest(Map<String, String> environment, Children children) throws IOException {
        this.environment = environment;
        this.children = children;
        words = words();
    }

    /**
     * A line of figures, those of all messages.
     *
     * @param percentileMicros of a message, of a ping-pong half a round trip; of the last messages alone
     * @param averageMicros of a message, of a ping-pong half a round trip
     * @param megabytesPerSecond of 2^20 bytes, of a ping-pong in both directions
     * @param messagesPerSecond of a ping-pong in both directions
     */
    public record Results(
            double percentileMicros, double averageMicros, double megabytesPerSecond, double messagesPerSecond) {}

    /**
     * The first words of the command. Built with MPI, as Debian 13's is, the tool would want to be started by MPI where
     * there is no terminal.
     *
     * @return words to add to
     * @throws IOException if it cannot be started
     */
    public static List<String> words() throws IOException {
        boolean mpi = Tool.ask(PROGRAM, "-h").text().contains("-P <0|1>");
        return new ArrayList<>(mpi ? List.of(PROGRAM, "-P", "0") : List.of(PROGRAM));
    }

    /** Runs a test by the client's flags, but for port and server; what the client has measured. */
    public Results measure(List<String> test, Duration limit) throws IOException, InterruptedException {
        int port = Ports.free();
        List<String> server = new ArrayList<>(words);
        server.addAll(List.of("-p", "" + port));
        List<String> client = new ArrayList<>(server);
        client.addAll(test);
        client.add("127.0.0.1");
        return parse(ToolRun.pair(server, client, port, environment, limit, children));
    }

    /** Finds the last figures in what a client has printed; throws if there are none. */
    public static Results parse(String output) throws IOException {
        for (String line : output.lines().toList().reversed()) {
            String[] fields = line.replaceFirst("^" + FINAL, "").strip().split("\\s+", -1);
            if (fields.length == COLUMNS && fields[0].matches("[0-9]+")) {
                return new Results(
                        Double.parseDouble(fields[1]),
                        Double.parseDouble(fields[3]),
                        Double.parseDouble(fields[5]),
                        Double.parseDouble(fields[7]));
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
