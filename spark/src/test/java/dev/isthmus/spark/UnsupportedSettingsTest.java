// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class UnsupportedSettingsTest {

    @ParameterizedTest
    @ValueSource(strings = {"4.2.0", "4.2.1-SNAPSHOT", "4.3.0"})
    void shouldTakeVersionsThatWereTried(String version) {
        assertEquals(Optional.empty(), UnsupportedSettings.ofVersion(version));
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1.0", "4.20.0", "4.4.0", "5.0.0", ""})
    void shouldRefuseOthers(String version) {
        assertEquals(
                Optional.of("Isthmus works with Spark 4.2.x and 4.3.x, and this is " + version),
                UnsupportedSettings.ofVersion(version));
    }
}
