// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.cli.Main;
import dev.isthmus.testbed.ChildJvm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Both ways on the simulated card, as a report of a machine with a card has them. */
@Tag("connectx")
class DirectCommandTest {

    @TempDir
    private Path folder;

    @Test
    void shouldCompareBothWaysInAReport() throws Exception {
        String name = folder.resolve("mine").toString();
        ChildJvm.Result result =
                new ChildJvm().run(Main.class, "report", "--quick", "--without", "doctor,info,demo", "--out", name);
        assertEquals(0, result.status(), result::output);
        JsonNode sections = new ObjectMapper()
                .readTree(folder.resolve("mine.json").toFile())
                .get("sections");
        assertEquals(1, sections.size());
        JsonNode section = sections.get(0);
        assertEquals("direct", section.get("name").textValue());
        String text = section.get("text").textValue();
        assertTrue(text.contains(" operations have the same completions and the same memory in both ways."), text);
        assertTrue(text.contains("empty poll"), text);
        JsonNode data = section.get("data");
        assertEquals("mlx5_0", data.get("device").textValue());
        assertEquals(data.get("byLibmlx5"), data.get("direct"));
        assertTrue(data.get("direct").size() >= 30, data::toPrettyString);
        assertTrue(data.get("direct")
                .get("RC WRITE with a wrong key")
                .get(0)
                .textValue()
                .contains("1 REM_ACCESS_ERR"));
        assertEquals(
                data.get("nanosecondsByLibmlx5").size(),
                data.get("nanosecondsDirect").size());
    }

    @Test
    void shouldFailIfAWriteLeavesOtherMemoryThanByLibmlx5() {
        var out = new StringWriter();
        var err = new StringWriter();
        DirectCommand.Runs withAnotherSum = (children, to, arguments) -> DirectCommand.run(
                children,
                line -> to.take(
                        arguments.length > 0 && arguments[1].equals("true") && line.startsWith("result RC WRITE: ")
                                ? line.replaceFirst("memory .*", "memory 0")
                                : line),
                arguments);
        int status = new CommandLine(new DirectCommand(withAnotherSum))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute("--rounds", "1");
        assertEquals(1, status, out::toString);
        assertTrue(
                out.toString()
                        .matches("(?s)RC WRITE differs: by libmlx5 .* memory .*straight to the card .* memory 0\n.*"),
                out::toString);
        assertEquals(
                "On mlx5_0, 1 operation does not do the same in both ways, as stands above: leave isthmus.mlx5.direct off,"
                        + " and report it.\n",
                err.toString());
    }

    @Test
    void shouldFailIfTheDirectWayIsNotDirect() {
        ChildJvm.Result result = new ChildJvm()
                .under("env", "MLX5_SHUT_UP_BF=1")
                .options("--enable-native-access=ALL-UNNAMED")
                .run(DirectProgram.class, "mlx5_0", "true");
        assertEquals(1, result.status(), result::output);
        assertTrue(result.output().contains(" is not direct"), result::output);
    }
}
