// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
class CTagLatTest {

    private static final int PORT = 18519;

    @Test
    void shouldTellWhatUcxPerftestSaidWhenItFails() {
        try (var children = new Children();
                var c = new CTagLat(Map.of("UCX_TLS", "no_such_transport"), PORT, children)) {
            String message =
                    assertThrows(IOException.class, () -> c.round(8, 1000)).getMessage();
            assertTrue(message.startsWith("ucx_perftest ("), message);
            assertTrue(message.contains("no_such_transport"), message);
        }
    }
}
