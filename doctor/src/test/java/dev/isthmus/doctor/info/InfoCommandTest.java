// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.attributes.DeviceCapability;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Tag("device")
@Tag("connectx")
class InfoCommandTest {

    private static final Pattern UNKNOWN = Pattern.compile("(?m)^(\\s+)Unknown flags: 0x([0-9A-F]+)\n");
    private static final Set<DeviceCapability> NAMELESS_IN_C =
            EnumSet.of(DeviceCapability.FLUSH_GLOBAL, DeviceCapability.FLUSH_PERSISTENT, DeviceCapability.ATOMIC_WRITE);

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
        assertEquals(withNames(devinfo(words(options))), out.toString());
    }

    /** Adds the names that ibv_devinfo of rdma-core 65 lacks, although verbs.h has them. */
    private static String withNames(String text) {
        return UNKNOWN.matcher(text).replaceAll(line -> {
            long unknown = Long.parseUnsignedLong(line.group(2), 16);
            var names = new StringBuilder();
            for (DeviceCapability one : NAMELESS_IN_C) {
                if ((unknown & one.code()) != 0) {
                    names.append(line.group(1)).append(one).append('\n');
                    unknown &= ~one.code();
                }
            }
            return unknown == 0 ? names.toString() : names + line.group();
        });
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
