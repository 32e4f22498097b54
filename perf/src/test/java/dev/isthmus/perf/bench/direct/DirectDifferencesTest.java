// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What {@code isthmus perf direct} makes of lines of {@link DirectProgram}: no device is needed for that. */
@Tag("unit")
class DirectDifferencesTest {

    private static final String SEND = "result RC SEND: sent 1 SUCCESS SEND; memory 1f";
    private static final String READ = "result RC READ: sent 1 SUCCESS RDMA_READ 64 bytes; memory 2f";
    private static final String TIME = "\ntime empty poll: 4.00";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Runs it with the lines of each round by libmlx5 and straight to the card, in turns; returns its exit status. */
    private int compare(String... runs) {
        Iterator<String> next = List.of(runs).iterator();
        DirectCommand.Runs canned = (children, to, arguments) -> {
            for (String line : arguments.length == 0
                    ? List.of("device mlx5_7")
                    : next.next().lines().toList()) {
                to.take(line);
            }
        };
        return new CommandLine(new DirectCommand(canned))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute("--rounds", Integer.toString(runs.length / 2));
    }

    @Test
    void shouldSayThatAllIsTheSame() {
        assertEquals(0, compare(SEND + "\n" + READ + TIME, SEND + "\n" + READ + TIME));
        assertEquals(
                "On mlx5_7, 2 of 2 operations have the same completions and the same memory in both ways.",
                out.toString().lines().findFirst().orElseThrow());
        assertEquals("", err.toString());
    }

    @Test
    void shouldFailIfAResultDiffersInOneRound() {
        String other = SEND.replace("1f", "3f");
        assertEquals(1, compare(SEND + TIME, SEND + TIME, SEND + TIME, other + TIME));
        assertTrue(
                out.toString()
                        .startsWith("RC SEND differs: by libmlx5 sent 1 SUCCESS SEND; memory 1f; straight to the card"
                                + " sent 1 SUCCESS SEND; memory 1f or sent 1 SUCCESS SEND; memory 3f\n"),
                out::toString);
        assertTrue(
                err.toString().startsWith("On mlx5_7, 1 operation does not do the same in both ways"), err::toString);
    }

    @Test
    void shouldFailIfEitherWayDidNotDoAnOperation() {
        assertEquals(1, compare(SEND + TIME, READ + TIME));
        assertTrue(out.toString().contains("RC SEND differs: by libmlx5 sent"), out::toString);
        assertTrue(
                out.toString().contains("RC READ differs: by libmlx5 nothing; straight to the card sent"),
                out::toString);
        assertTrue(err.toString().startsWith("On mlx5_7, 2 operations do not do the same in both ways"), err::toString);
    }
}
