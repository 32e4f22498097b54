// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program that asks for direct queue pairs where there can be none: one sentence for each says why, and messages go
 * the ordinary way.
 */
class DirectRefusalTest {

    private static final String LIBRARY = "libmlx5.so.1";

    /** Runs the program in an environment, and returns why its two queue pairs are not direct. */
    private static String refusal(String... environment) {
        ChildJvm.Result result = new ChildJvm()
                .under(Stream.concat(Stream.of("env"), Stream.of(environment)).toArray(String[]::new))
                .options("--enable-native-access=ALL-UNNAMED")
                .run(Child.class);
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("ordinary: well"), result.output());
        List<String> sentences = result.output()
                .lines()
                .filter(line -> line.contains(" is not direct"))
                .toList();
        assertEquals(2, sentences.size(), result.output()); // each queue pair asks by itself
        List<String> reasons = sentences.stream()
                .map(line -> line.substring(line.indexOf("because ")).replaceFirst(": QueuePairLayout.*", ""))
                .distinct()
                .toList();
        assertEquals(1, reasons.size(), result.output());
        return reasons.getFirst();
    }

    @Test
    @Tag("device")
    void shouldLeaveOtherDevicesToTheirDrivers() {
        if (!"hardware".equals(System.getenv("ISTHMUS_TESTBED"))) { // which may be a ConnectX
            String reason = refusal();
            assertTrue(reason.matches("because its device is driven by lib.*, not by libmlx5"), reason);
        }
    }

    @Test
    @Tag("connectx")
    void shouldLeaveItToALibraryThatIsTooNew(@TempDir Path folder) throws Exception {
        Files.copy(library(), folder.resolve(LIBRARY + ".99.66.0"));
        for (int abi = 34; abi < 70; abi++) { // as libibverbs names its drivers
            Files.createSymbolicLink(folder.resolve("libmlx5-rdmav" + abi + ".so"), Path.of(LIBRARY + ".99.66.0"));
        }
        assertEquals(
                "because " + LIBRARY + ".99.66.0 is of rdma-core 66, and known are 44 to 65",
                refusal("RDMAV_DRIVERS=" + folder.resolve("libmlx5")));
    }

    /** The one that this JVM uses. */
    private static Path library() throws Exception {
        try (DeviceContext device = Device.first().open();
                Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            assertTrue(device.device().name().startsWith("mlx5"));
            return maps.filter(line -> line.contains("/libmlx5"))
                    .map(line -> Path.of(line.substring(line.indexOf('/'))))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    @Tag("connectx")
    void shouldLeaveItToTheLibraryIfTheDeviceAnswersNonsense() {
        assertEquals(
                "because libmlx5 reports a size of the register that makes no sense",
                refusal("ISTHMUS_CONNECTX_REGISTER=96"));
    }

    /** Sends a message between two queue pairs that ask to be direct. */
    static final class Child {
        public static void main(String... args) {
            try (var pair = RcPair.connected(config -> config.direct(true))) {
                pair.a.memory().setString(0, "well");
                pair.b.qp.post(pair.b.receive(100, 16));
                pair.a.qp.post(pair.a.send(0, 16));
                pair.b.awaitSuccess();
                pair.a.awaitSuccess();
                String way = pair.a.qp.isDirect() || pair.b.qp.isDirect() ? "direct" : "ordinary";
                System.out.println(way + ": " + pair.b.memory().getString(100));
            }
        }
    }
}
