// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpFeature;
import java.io.BufferedReader;
import java.io.StringReader;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpStreamChatTest {

    private static final String LONG = "long ".repeat(5_000); // arrives in several pieces

    static Stream<String> transports() {
        // Connections by socket address need transports that report failures, which shared memory alone does not.
        return UcxExamples.transports().filter(tls -> !tls.startsWith("posix"));
    }

    private static UcpContext context(String tls) {
        return UcpContext.create(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.STREAM, UcpFeature.WAKEUP)));
    }

    private static BufferedReader keyboard(String... lines) {
        return new BufferedReader(new StringReader(String.join("\n", lines)));
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldShowEachWhatTheOtherOneTypes(String tls) throws Exception {
        var at = new CompletableFuture<InetSocketAddress>();
        var server = new FutureTask<>(() -> {
            var shown = new ArrayList<String>();
            try (var context = context(tls)) {
                var address = new InetSocketAddress(UcxExamples.address(), 0);
                UcpStreamChat.listen(context, address, at::complete, keyboard("hi", "", "grüße"), shown::add);
            } catch (Throwable t) {
                at.completeExceptionally(t);
                throw t;
            }
            return shown;
        });
        Thread.ofPlatform().daemon().start(server);
        var shown = new ArrayList<String>();
        try (var context = context(tls)) {
            UcpStreamChat.connect(context, at.get(), keyboard("hello", "\033[2Jgone", LONG, "bye"), shown::add);
        }
        assertEquals(List.of("> hi", "> ", "> grüße"), shown);
        List<String> others = server.get();
        assertEquals(List.of("> hello", "> ?[2Jgone"), others.subList(0, 2));
        assertEquals("> bye", others.getLast());
        String parts = String.join(
                "",
                others.subList(2, others.size() - 1).stream()
                        .map(part -> part.substring(2))
                        .toList());
        assertEquals(LONG, parts);
    }
}
