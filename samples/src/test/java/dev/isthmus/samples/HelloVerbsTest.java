// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class HelloVerbsTest {

    @Test
    void shouldPrintWhatWasReceived() {
        assertEquals(List.of("hello, RDMA"), Output.of(() -> HelloVerbs.main(new String[0])));
    }
}
