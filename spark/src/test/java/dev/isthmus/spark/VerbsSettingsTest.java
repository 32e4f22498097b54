// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class VerbsSettingsTest {

    private static boolean isUsed(String text, boolean sameHost) {
        return new VerbsSettings(VerbsSettings.Use.of(text), "", VerbsSettings.FILE_BYTES).isUsed(sameHost);
    }

    @Test
    void shouldReadOverVerbsBetweenHostsUnlessToldOtherwise() {
        assertTrue(isUsed("auto", false));
        assertFalse(isUsed("auto", true));
        assertTrue(isUsed("Always", true));
        assertFalse(isUsed("never", false));
    }

    @Test
    void shouldSayWhatIsWrong() {
        var wrong = assertThrows(IllegalArgumentException.class, () -> VerbsSettings.Use.of("yes"));
        assertEquals("spark.isthmus.verbs is yes, and may be auto, always, never", wrong.getMessage());
        var little =
                assertThrows(IllegalArgumentException.class, () -> new VerbsSettings(VerbsSettings.Use.AUTO, "", 1024));
        assertTrue(little.getMessage().contains("spark.isthmus.verbs.fileBytes is 1024"), little.getMessage());
    }
}
