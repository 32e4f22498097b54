// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class VerbsSettingsTest {

    private static VerbsSettings of(String key, String value) {
        return VerbsSettings.of(new SparkConf(false).set(key, value));
    }

    @Test
    void shouldReadOverVerbsBetweenHostsUnlessToldOtherwise() {
        var usual = VerbsSettings.of(new SparkConf(false));
        assertTrue(usual.isUsed(false));
        assertFalse(usual.isUsed(true));
        assertEquals("", usual.address());
        assertTrue(of("spark.isthmus.verbs", "always").isUsed(true));
        assertFalse(of("spark.isthmus.verbs", "never").isUsed(false));
    }

    @Test
    void shouldSayWhatIsWrong() {
        var wrong = assertThrows(IllegalArgumentException.class, () -> of("spark.isthmus.verbs", "yes"));
        assertEquals("spark.isthmus.verbs is yes, and may be auto, always, never", wrong.getMessage());
        var little = assertThrows(IllegalArgumentException.class, () -> of("spark.isthmus.verbs.fileBytes", "1k"));
        assertTrue(little.getMessage().contains("spark.isthmus.verbs.fileBytes is 1024"), little.getMessage());
    }
}
