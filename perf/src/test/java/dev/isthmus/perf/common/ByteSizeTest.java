// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class ByteSizeTest {

    @ParameterizedTest
    @CsvSource({"7, 7, 7 B", "4k, 4096, 4.0 KB", "200M, 209715200, 200.0 MB", "3G, 3221225472, 3.0 GB"})
    void shouldReadAndPrintUnits(String text, long bytes, String printed) {
        assertEquals(OptionalLong.of(bytes), ByteSize.parse(text));
        assertEquals(printed, ByteSize.format((double) bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "M", "-1K", "1.5G", "12345678901T", "5X"})
    void shouldReadNothingElse(String text) {
        assertEquals(OptionalLong.empty(), ByteSize.parse(text));
    }
}
