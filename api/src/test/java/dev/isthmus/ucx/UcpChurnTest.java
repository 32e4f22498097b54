// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ProcessFigures;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many endpoints that come and go leave nothing behind. The environment variable ISTHMUS_CHURN_ENDPOINTS sets how many
 * there are in each round: more find smaller leaks.
 */
@Tag("ucx")
@Tag("host")
@Tag("extended")
class UcpChurnTest {

    private static final int ENDPOINTS =
            Integer.parseInt(System.getenv().getOrDefault("ISTHMUS_CHURN_ENDPOINTS", "50"));

    /** In half of twelve rounds: 0.9 kB an endpoint, where none were measured. */
    private static final long MOST_BYTES = 256 << 10;

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldLeaveNothingBehindOfManyEndpoints(String tls) throws IOException {
        try (var churn = new UcpChurn(tls)) {
            churn(churn, ENDPOINTS);
            ProcessFigures.assertSteady(() -> churn(churn, ENDPOINTS), MOST_BYTES);
            assertEquals(0, churn.outstanding());
        }
    }

    // Four in five by connecting, where each is two.
    private static void churn(UcpChurn churn, int endpoints) throws IOException {
        churn.connectAndClose(endpoints * 2 / 5);
        churn.connectAndKill(endpoints / 10);
        churn.addressAndClose(endpoints / 10);
    }
}
