// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The values that options finally have. */
@Tag("unit")
class StreamOptionsTest {

    /**
     * A byte says to the peer how many entries there are: if it meant more than there are, the peer would write
     * beyond them.
     */
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "127, 127",
        "128, 128",
        "129, 128",
        "255, 128",
        "256, 256",
        "511, 256",
        "512, 512",
        "32512, 32512",
        "32767, 32512",
        "32768, 32512",
        "2147483647, 32512"
    })
    void shouldHaveAsManyEntriesForThePeerAsAByteCanTell(int wanted, int got) {
        var options = new StreamOptions(1 << 17, 1 << 17, 384, 384, 64, 10, wanted);
        assertEquals(got, options.iomapSize());
        int code = StreamOptions.scaleOf(got);
        assertEquals(code, code & 0xff);
        assertEquals(got, StreamOptions.iomapOf(code));
    }

    @ParameterizedTest
    @CsvSource({"5002, 4992", "4096, 4096", "1, 4096", "40000, 40000"})
    void shouldHaveARingWithRoomForLongsBehindEachHalf(int wanted, int got) {
        assertEquals(got, StreamOptions.DEFAULT.withReceiveBuffer(wanted).receiveBuffer());
    }
}
