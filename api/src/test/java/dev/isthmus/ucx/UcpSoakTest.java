package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many messages of all lengths leave nothing behind. The environment variable ISTHMUS_SOAK_MESSAGES says how many: more
 * find smaller leaks.
 */
@Tag("ucx")
@Tag("host")
class UcpSoakTest {

    private static final long EMULATED = 2_000; // in the testbed, where processors may be emulated
    private static final long USUAL = 40_000;
    private static final long SLACK_BYTES = 32 << 20; // caches and pools of C and the JVM that fill now and then

    private static long messages() {
        String said = System.getenv("ISTHMUS_SOAK_MESSAGES");
        if (said != null) {
            return Long.parseLong(said);
        }
        return System.getenv("ISTHMUS_UCX_TLS") == null ? USUAL : EMULATED;
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldLeaveNothingBehindOfManyMessages(String tls) {
        try (var soak = new UcpSoak(tls)) {
            long half = messages() / 2;
            soak.run(half);
            ProcessFigures before = ProcessFigures.now();
            soak.run(half);
            ProcessFigures after = ProcessFigures.now();
            assertEquals(0, soak.outstanding());
            assertEquals(before.descriptors(), after.descriptors());
            assertTrue(after.heapBytes() - before.heapBytes() < 4 << 20, () -> before + " became " + after);
            assertTrue(after.grownBy(before) < SLACK_BYTES, () -> before + " became " + after);
        }
    }
}
