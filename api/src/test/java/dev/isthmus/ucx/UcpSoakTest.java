// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ProcessFigures;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many messages of all lengths leave nothing behind. The environment variable ISTHMUS_SOAK_MESSAGES sets how many there
 * are in each round: more find smaller leaks.
 */
@Tag("ucx")
@Tag("host")
class UcpSoakTest {

    private static final long MESSAGES = Long.parseLong(System.getenv().getOrDefault("ISTHMUS_SOAK_MESSAGES", "5000"));

    /** In a round: 3 bytes a message, where none were measured. */
    private static final long MOST_BYTES = 16 << 10;

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldLeaveNothingBehindOfManyMessages(String tls) throws IOException {
        try (var soak = new UcpSoak(tls)) {
            soak.run(MESSAGES);
            ProcessFigures.assertStill(() -> soak.run(MESSAGES), MOST_BYTES);
            assertEquals(0, soak.outstanding());
        }
    }
}
