// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ucx")
class UcpRpcTest {

    @Test
    void shouldPrintWhatThePageShows() throws IOException {
        SamplesPage.Command command = SamplesPage.command("UcpRpc");
        assertEquals(command.output(), Output.of(() -> UcpRpc.main(command.with())));
    }

    @Test
    void shouldAnswerNothingWithNothing() {
        assertEquals(List.of("", "UCX"), Output.of(() -> UcpRpc.main("", "ucx")));
    }
}
