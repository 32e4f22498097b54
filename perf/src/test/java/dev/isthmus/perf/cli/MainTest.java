// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.tools.perftest.PerftestSession;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Tag("unit")
class MainTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        CommandLine commandLine = Main.commandLine(args);
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(args);
    }

    @Test
    void shouldHelpWithTheFlagsOfTheCProgram() {
        assertEquals(0, run("perf", "send_lat", "--help"));
        for (String flag : new String[] {
            "--ib-dev", "--ib-port", "--gid-index", "--mtu", "--size", "--iters", "--port", "--inline_size", "SERVER"
        }) {
            assertTrue(out.toString().contains(flag), flag);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "perf",
                "perf send_lat",
                "perf atomic_bw",
                "perf jmh",
                "perf instructions",
                "perf mpi",
                "doctor",
                "compare",
                "spark"
            })
    void shouldNameTheCommandAsItIsTyped(String command) {
        assertEquals(0, run((command + " --help").split(" ", -1)));
        assertTrue(out.toString().startsWith("Usage: isthmus " + command + " ["), out.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "perf send_lat -s x",
                "perf send_lat -s 0",
                "perf send_lat -n 4",
                "perf send_lat -m 1000",
                "perf send_lat -p 70000",
                "perf write_bw -e",
                "perf read_lat -c UD",
                "perf atomic_bw -s 16",
                "perf send_lat --no-such-flag",
                "perf send_lat one two",
                "demo --sizes 0",
                "demo --rounds 0",
                "demo --only tcp",
                "info -i 0",
                "info -i x",
                "info rxe0",
                "perf instructions --timeout 0",
                "perf instructions --rows none",
                "perf no_such_command",
                "no_such_command"
            })
    void shouldEndWithStatusTwoOnABadCommandLine(String line) {
        assertEquals(2, run(line.split(" ", -1)), line);
        assertTrue(err.toString().lines().findFirst().orElse("").length() > 10, err.toString());
    }

    @Test
    void shouldNotHideWhatIsWrongBehindTheWholeHelp() {
        assertEquals(2, run("perf", "send_lat", "-n", "4"));
        assertEquals("""
                send_lat: the number of iterations must be between 5 and 100000000, not 4
                Try: isthmus perf send_lat --help
                """, err.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "perf send_bw --run_infinitely -D 5, ib_send_bw's --run_infinitely",
        "perf send_bw -X 3 host, ib_send_bw's -X",
        "perf read_lat --tclass=5, ib_read_lat's --tclass",
        "perf ucx -l, ucx_perftest's -l",
        "perf stream -k 5, rstream's -k",
        "perf stream -T a -T b, rstream's -T a with -T b",
        "perf stream -T a --iomap, rstream's -T a with --iomap",
        "perf stream -T fork, rstream's -T fork",
        "perf stream -T r, rstream's -T r",
        "perf stream -f gid -s ::1, rstream's -f gid"
    })
    void shouldSayThatAFlagOfTheCProgramIsNotThere(String line, String flag) {
        assertEquals(2, run(line.split(" ", -1)), line);
        assertTrue(err.toString().contains(": " + flag + " is not implemented"), err.toString());
        assertEquals(2, err.toString().lines().count());
    }

    @Test
    void shouldTellTheVersionThatTheCProgramTells() {
        assertEquals(0, run("perf", "write_lat", "--version"));
        assertEquals("Version: " + PerftestSession.VERSION + "\n", out.toString());
    }

    @Test
    void shouldNameTheCommandThatWasMeant() {
        assertEquals(2, run("perf", "send_la"));
        assertTrue(err.toString().contains("perf send_lat"), err.toString());
    }

    @Test
    void shouldSayInOneLineThatTheResultCannotBeWritten() {
        assertEquals(1, run("demo", "--json", "/no/such/folder/result.json"));
        assertEquals("demo: cannot write /no/such/folder/result.json\n", err.toString());
    }
}
