// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ucx")
class HelloUcxTest {

    @Test
    void shouldPrintWhatWasReceived() {
        assertEquals(List.of("hello, UCX"), Output.of(() -> HelloUcx.main(new String[0])));
    }
}
