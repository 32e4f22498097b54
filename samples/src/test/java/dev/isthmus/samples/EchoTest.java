// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class EchoTest {

    @Test
    void shouldSendBackWhatSeveralClientsSend() throws Exception {
        try (var listener = EchoServer.listen(new InetSocketAddress(DeviceAddress.last(), 0))) {
            InetSocketAddress server = listener.localAddress();
            var clients = new FutureTask<>(() -> {
                List<String> first = EchoClient.echo(server, List.of("one", "two", "grüße"));
                List<String> second = EchoClient.echo(server, List.of("three"));
                return List.of(first, second);
            });
            Thread.ofPlatform().daemon().start(clients);
            Thread a = EchoServer.serve(listener);
            Thread b = EchoServer.serve(listener);
            assertEquals(List.of(List.of("one", "two", "grüße"), List.of("three")), clients.get());
            a.join();
            b.join();
        }
    }

    @Test
    void shouldPrintWhatThePageShows() throws Exception {
        SamplesPage.Command client = SamplesPage.command("EchoClient");
        List<String> printed = Output.of(() -> {
            try (var listener = EchoServer.listen(new InetSocketAddress(DeviceAddress.last(), 0))) {
                InetSocketAddress at = listener.localAddress();
                Future<Void> using =
                        Task.start(() -> EchoClient.main(client.with(at.getHostString(), "" + at.getPort())));
                Thread serving = EchoServer.serve(listener);
                using.get();
                serving.join();
            }
        });
        SamplesPage.assertPrint(printed, "EchoServer", "EchoClient");
    }
}
