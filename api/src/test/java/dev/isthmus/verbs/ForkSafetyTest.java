// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("device")
@Tag("connectx")
@Tag("extended")
class ForkSafetyTest {

    @Test
    void shouldSayThatItIsTooLateAfterRegistration() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var memory = pd.allocate(4096)) {
            ForkStatus before = ForkSafety.status();
            assertNotEquals(ForkStatus.UNKNOWN, before);
            try {
                ForkSafety.enable();
                assertEquals(ForkStatus.UNNEEDED, before, "only a newer libibverbs that has nothing to do says yes");
            } catch (VerbsException e) {
                assertEquals(Errno.EINVAL, e.errno());
                assertTrue(e.getMessage().contains("too late"), e.getMessage());
            }
            assertEquals(before, ForkSafety.status());
            assertEquals(4096, memory.segment().byteSize());
        }
    }

    @Test
    void shouldBeEnabledBeforeRegistrationAndAgain(@TempDir Path folder) throws Exception {
        List<String> lines = runChild(folder.resolve("output"));
        // If the kernel copies registered memory at once, as kernels from 5.12 on do, nothing remains to be enabled.
        assertTrue(
                lines.equals(List.of("DISABLED", "ENABLED", "registered")) // older kernels
                        || lines.equals(List.of("UNNEEDED", "UNNEEDED", "registered")),
                lines.toString());
    }

    private static List<String> runChild(Path output) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var builder = new ProcessBuilder(
                java,
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName());
        File file = output.toFile();
        int status =
                builder.redirectErrorStream(true).redirectOutput(file).start().waitFor();
        List<String> lines = Files.readAllLines(output);
        assertEquals(0, status, lines.toString());
        return lines;
    }

    /** A process that enables it in time. */
    static final class Child {

        private Child() {}

        public static void main(String[] arguments) {
            System.out.println(ForkSafety.status());
            ForkSafety.enable();
            ForkSafety.enable();
            System.out.println(ForkSafety.status());
            try (var context = Device.first().open();
                    var pd = context.allocateProtectionDomain();
                    var memory = pd.allocate(4096)) {
                System.out.println(memory.segment().byteSize() == 4096 ? "registered" : "not registered");
            }
        }
    }
}
