// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Two ends of a session in this JVM. */
final class UcxSessions {

    private static final long DEADLINE_SECONDS = TestDeadlines.seconds(120);

    private UcxSessions() {}

    static UcxEnd.Binding java(String transports) {
        return (plan, server, link) -> new JavaEnd(plan, server, link, Map.of("TLS", transports));
    }

    /** An end's action on its link. */
    interface Part<T> {
        T run(UcxLink link) throws IOException;
    }

    /** Runs a server on a thread of its own, and a client here; returns the server's result when both have ended. */
    static <T> T run(Part<T> server, Part<?> client) throws Exception {
        try (ServerSocketChannel listening =
                UcxLink.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            int port = ((InetSocketAddress) listening.getLocalAddress()).getPort();
            var result = new CompletableFuture<T>();
            Thread.ofPlatform().daemon().start(() -> {
                try (var link = new UcxLink(listening.accept())) {
                    result.complete(server.run(link));
                } catch (Throwable e) {
                    result.completeExceptionally(e);
                }
            });
            try (var link = UcxLink.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                client.run(link);
            }
            T value = result.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            return value;
        }
    }

    /** Runs a test with itself; returns what the client measured. */
    static UcxResult run(UcxPlan plan, UcxEnd.Binding binding) throws Exception {
        var measured = new CompletableFuture<UcxResult>();
        run(
                link -> {
                    UcxSession.serve(link, binding, UcxSession.SessionListener.NO_LISTENER);
                    return 0;
                },
                link -> measured.complete(UcxSession.client(
                        plan, UcxLayout.V1_13, link, binding, UcxSession.SessionListener.NO_LISTENER)));
        return measured.get();
    }
}
