// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Settings that make no sense are refused. */
@Tag("unit")
class SettingsTest {

    /** With a patience of zero, each peer would be checked all the time. */
    @Test
    void shouldRefuseTimesThatAreNotPositive() {
        Settings usual = Settings.defaults();
        Duration second = Duration.ofSeconds(1);
        for (Duration none : List.of(Duration.ZERO, Duration.ofMillis(-1))) {
            for (Duration[] times : List.of(new Duration[] {none, second}, new Duration[] {second, none})) {
                var e = assertThrows(IllegalArgumentException.class, () -> usual.withTimes(times[0], times[1]));
                assertTrue(e.getMessage().contains("both must be positive"), e::getMessage);
            }
        }
    }
}
