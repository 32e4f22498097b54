package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many endpoints that come and go leave nothing behind. The environment variable ISTHMUS_CHURN_ENDPOINTS says how many:
 * more find smaller leaks.
 */
@Tag("ucx")
@Tag("host")
class UcpChurnTest {

    private static final int EMULATED = 30; // in the testbed, where processors may be emulated
    private static final int USUAL = 200;
    private static final long SLACK_BYTES = 16 << 20; // caches and pools of C and the JVM that fill now and then
    private static final int SLACK_DESCRIPTORS = 10; // sockets that are just being closed

    private static int endpoints() {
        String said = System.getenv("ISTHMUS_CHURN_ENDPOINTS");
        if (said != null) {
            return Integer.parseInt(said);
        }
        return System.getenv("ISTHMUS_UCX_TLS") == null ? USUAL : EMULATED;
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldLeaveNothingBehindOfManyEndpoints(String tls) throws IOException {
        try (var churn = new UcpChurn(tls)) {
            churn(churn, endpoints() / 4);
            ProcessFigures before = ProcessFigures.now();
            churn(churn, endpoints());
            ProcessFigures after = ProcessFigures.now();
            assertEquals(0, churn.outstanding());
            int descriptors = after.descriptors() - before.descriptors();
            assertTrue(descriptors <= SLACK_DESCRIPTORS, () -> before + " became " + after);
            assertTrue(after.heapBytes() - before.heapBytes() < 4 << 20, () -> before + " became " + after);
            assertTrue(after.grownBy(before) < SLACK_BYTES, () -> before + " became " + after);
        }
    }

    // Four in five by connecting, where each is two.
    private static void churn(UcpChurn churn, int endpoints) throws IOException {
        churn.connectAndClose(endpoints * 2 / 5);
        churn.connectAndKill(endpoints / 10);
        churn.addressAndClose(endpoints / 10);
    }
}
