// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MpiCommandTest {

    private static final Pattern ROW = Pattern.compile("(\\S+) +([\\d.]+) +([\\d.]+) +([\\d.]+)");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        var commandLine = new CommandLine(new MpiCommand());
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(args);
    }

    /** Each row has both times, and their ratio. */
    private void printed(String... rows) {
        List<String> lines = out.toString().lines().toList();
        assertEquals("ns C Java Java/C", lines.getFirst().replaceAll(" +", " "), out.toString());
        assertEquals(rows.length, lines.size() - 1, out.toString());
        for (int i = 0; i < rows.length; i++) {
            Matcher row = ROW.matcher(lines.get(i + 1));
            assertTrue(row.matches(), lines.get(i + 1));
            assertEquals(rows[i], row.group(1));
            double c = Double.parseDouble(row.group(2));
            double java = Double.parseDouble(row.group(3));
            // Less than a nanosecond is no message, and more than ten seconds no time of one.
            assertTrue(c > 1 && c < 1e10 && java > 1 && java < 1e10, lines.get(i + 1));
            assertEquals(java / c, Double.parseDouble(row.group(4)), 0.01 * java / c + 0.001);
        }
    }

    @Test
    @Tag("mpi")
    void shouldTimeBothLanguages() {
        assertEquals(0, run("--rounds", "1", "--rows", "latency-8|alltoall-4096"), err::toString);
        printed("latency-8", "alltoall-4096");
    }

    @Test
    @Tag("mpi")
    void shouldTimeMoreRanksOverTcp() {
        assertEquals(0, run("--rounds", "1", "--tcp", "--ranks", "3", "--rows", "allreduce-8-3"), err::toString);
        printed("allreduce-8-3");
    }

    @Test
    @Tag("unit")
    void shouldRefuseWhatItDoesNotMeasure() {
        assertEquals(2, run("--rows", "latncy-8"));
        assertTrue(err.toString().startsWith("no row's name matches latncy-8"), err.toString());
        assertEquals(2, run("--instructions", "--tcp"));
        assertTrue(err.toString().contains("--tcp"), err.toString());
    }
}
