// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random handshakes and messages, most of them against the protocol, in a JVM of its own. None ends it, keeps it
 * waiting, leaves anything behind, or is noticed by an uninvolved connection. ISTHMUS_FUZZ_ACTIONS sets the number of
 * messages and handshakes, and ISTHMUS_FUZZ_SEED the seed. Not on iWARP, where a request of the hostile side
 * occasionally never completes once SoftiWARP has ended its connection.
 */
@Tag("device")
class HostileFuzzTest {

    private static final long ACTIONS = 400;
    private static final int SPARE_SECONDS = 240; // to start and to close all, on an emulated machine
    private static final int SLOWEST_PER_SECOND = 10;

    @Test
    void shouldSurviveWhateverPeersSend() {
        long actions = setting("ISTHMUS_FUZZ_ACTIONS", ACTIONS);
        long seed = setting("ISTHMUS_FUZZ_SEED", System.nanoTime() % 1_000_000_000);
        String settings = "ISTHMUS_FUZZ_SEED=" + seed + " ISTHMUS_FUZZ_ACTIONS=" + actions;
        System.out.println("HostileFuzzRun: " + settings);
        ChildJvm.Result result = new ChildJvm()
                .options(
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+ErrorFileToStdout",
                        "-ea",
                        "-Disthmus.nio.lingerSeconds=2",
                        "-Disthmus.nio.handshakeSeconds=2")
                .deadline(TestDeadlines.ofSeconds(SPARE_SECONDS + actions / SLOWEST_PER_SECOND))
                .run(HostileFuzzRun.class, Long.toString(actions), Long.toString(seed));
        System.out.print(result.output());
        assertEquals(0, result.status(), () -> settings + " ended with " + result.status());
    }

    private static long setting(String name, long otherwise) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? otherwise : Long.parseLong(value.strip());
    }
}
