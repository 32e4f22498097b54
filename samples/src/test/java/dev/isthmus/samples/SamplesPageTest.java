// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever adds a sample also describes it on the page. */
@Tag("unit")
class SamplesPageTest {

    @Test
    void shouldTellOfEverySample() throws IOException {
        String page = Documents.text("docs/samples.md");
        List<String> samples = Documents.samples();
        assertFalse(samples.isEmpty());
        for (String sample : samples) {
            assertTrue(page.contains("`" + sample + "`"), sample + " is not on the page of samples");
        }
    }
}
