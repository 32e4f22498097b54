package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("device")
@Timeout(120)
class EchoTest {

    @Test
    void shouldSendBackWhatSeveralClientsSend() throws Exception {
        byte[] gid;
        try (DeviceContext context = Device.list().getLast().open()) {
            gid = context.defaultGid(1).gid().bytes();
        }
        var address = InetAddress.getByAddress(Arrays.copyOfRange(gid, 12, 16));
        try (var listener = EchoServer.listen(new InetSocketAddress(address, 0))) {
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
}
