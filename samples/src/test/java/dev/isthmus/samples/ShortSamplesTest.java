// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What most programs do takes few lines. If one of these gets longer, the library could do more of it. */
@Tag("unit")
class ShortSamplesTest {

    /** Without imports, comments, and lines that are empty. */
    @ParameterizedTest
    @ValueSource(strings = {"PingPong", "EchoLoop", "UcpRpc", "UcpFetch", "GroupGreeting"})
    void shouldHaveFewerThan60Lines(String sample) throws IOException {
        long lines = Documents.text("samples/src/main/java/dev/isthmus/samples/" + sample + ".java")
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.matches("(package |import |//|/\\*|\\*).*"))
                .count();
        assertTrue(lines < 60, sample + " has " + lines);
    }
}
