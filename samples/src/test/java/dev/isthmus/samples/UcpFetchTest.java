// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.GuardedArena;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpFeature;
import java.util.EnumSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("ucx")
class UcpFetchTest {

    @Test
    void shouldPrintWhatThePageShows() throws Exception {
        SamplesPage.Command command = SamplesPage.command("UcpFetch");
        assertEquals(command.output(), Output.of(() -> UcpFetch.main(command.with())));
    }

    /** Over shared memory a get is done at once, and over the network it is not. */
    @ParameterizedTest
    @Tag("host")
    @ValueSource(strings = {"posix,self", "tcp,self"})
    void shouldCountWhateverTheTransport(String tls) {
        try (var context = UcpContext.create(
                        config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.RMA, UcpFeature.WAKEUP)));
                var loop = EventLoop.start();
                var serving = context.createWorker(loop, config -> {});
                var memory = context.allocate(3_000_001);
                var arena = GuardedArena.ofConfined();
                var worker = context.createWorker();
                var endpoint = worker.createEndpoint(loop.call(serving::address));
                var text = endpoint.unpack(memory.packKey())) {
            memory.segment().fill((byte) '\n');
            assertEquals(3_000_001, UcpFetch.countLines(worker, text, arena.allocate(8 * 65_536)));
        }
    }
}
