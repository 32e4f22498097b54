// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.verbs.exchange.AddressExchange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class ConnectOverTcpTest {

    @Test
    void shouldReceiveWhatTheClientWritesAlsoAfterAPeerThatSpeaksSomethingElse() throws Exception {
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var listener = AddressExchange.listen(loopback)) {
            var server = new FutureTask<>(() -> ConnectOverTcp.serve(listener));
            Thread.ofPlatform().daemon().start(server);
            try (var stranger = new Socket(
                    listener.address().getAddress(), listener.address().getPort())) {
                stranger.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
                stranger.shutdownOutput();
            }
            ConnectOverTcp.write(listener.address(), "hello, region");
            assertEquals("hello, region", server.get());
        }
    }
}
