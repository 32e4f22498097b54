package dev.isthmus.perf.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Tag("device")
class InfoCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int info(String... arguments) {
        return new CommandLine(new InfoCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    err.write(e.getMessage());
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(arguments);
    }

    private static String devinfo(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ibv_devinfo"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    private static String[] words(String options) {
        return options.replace("FIRST", Device.first().name()).split(" ", -1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-v", "-d FIRST -i 1", "--ib-dev=FIRST --ib-port=1 --verbose", "-l", "--list"})
    void shouldPrintWhatIbvDevinfoPrints(String options) throws IOException, InterruptedException {
        assertEquals(0, info(words(options)), err.toString());
        assertEquals(devinfo(words(options)), out.toString());
    }

    @Test
    void shouldPrintWhatIbvDevinfoPrintsWithoutOptions() throws IOException, InterruptedException {
        assertEquals(0, info(), err.toString());
        assertEquals(devinfo(), out.toString());
    }

    @Test
    void shouldNameTheDevicesWhenThereIsNoneOfThatName() {
        assertEquals(1, info("-d", "nope0"));
        assertTrue(err.toString().contains(Device.first().name()), err.toString());
        assertEquals("", out.toString());
    }

    @Test
    void shouldPrintNothingOfDeviceWithoutThatPort() {
        assertEquals(1, info("-i", "77"));
        assertTrue(err.toString().contains("has no port 77"), err.toString());
        assertEquals("", out.toString());
    }
}
