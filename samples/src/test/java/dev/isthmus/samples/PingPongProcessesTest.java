// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("extended")
class PingPongProcessesTest {

    private static Process start(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                PingPong.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    @Test
    void shouldPlayWithAnotherProcess() throws Exception {
        SamplesPage.Command client = SamplesPage.commands("PingPong").getLast();
        String address = DeviceAddress.last().getHostAddress();
        Process server = start(address, "0");
        try (BufferedReader lines = server.inputReader()) {
            String listening = lines.readLine();
            assertTrue(listening != null && listening.startsWith("listening at /" + address), listening);
            String port = listening.substring(listening.lastIndexOf(':') + 1);
            List<String> printed = new ArrayList<>(List.of(listening));
            printed.addAll(Output.of(() -> PingPong.main(client.with(address, port))));
            printed.addAll(lines.lines().toList());
            SamplesPage.assertPrint(printed, "PingPong");
            assertTrue(server.waitFor(TestDeadlines.seconds(60), TimeUnit.SECONDS));
            assertEquals(0, server.exitValue());
        } finally {
            server.destroyForcibly();
        }
    }
}
