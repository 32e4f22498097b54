// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.netty.RdmaIoHandler;
import dev.isthmus.nio.RdmaServerSocketChannel;
import dev.isthmus.nio.RdmaSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples that only know sockets. */
@Tag("device")
class SocketsTest {

    @Test
    void shouldSendBackWhatAClientSends() throws Exception {
        List<String> printed = Output.of(() -> {
            try (ServerSocketChannel server = RdmaServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(DeviceAddress.last(), 0));
                try (SocketChannel client = RdmaSocketChannel.open(server.getLocalAddress())) {
                    Thread serving = SocketEcho.serve(server);
                    exchange(client);
                    serving.join();
                }
            }
        });
        assertEquals(List.of("100000 bytes"), printed);
    }

    private static void exchange(SocketChannel client) throws Exception {
        var sent = new byte[100_000];
        new Random(1).nextBytes(sent);
        Future<Void> writing = Task.start(() -> assertEquals(sent.length, client.write(ByteBuffer.wrap(sent))));
        var back = ByteBuffer.allocate(sent.length);
        while (back.hasRemaining()) {
            assertTrue(client.read(back) > 0);
        }
        writing.get();
        assertArrayEquals(sent, back.array());
        client.shutdownOutput();
        assertEquals(-1, client.read(back.clear()));
    }

    @Test
    void shouldSendBackWithNettyWhatAClientSends() throws Exception {
        List<String> printed = Output.of(() -> {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            Channel server = NettyEcho.listen(group, new InetSocketAddress(DeviceAddress.last(), 0));
            try (SocketChannel client = RdmaSocketChannel.open(server.localAddress())) {
                exchange(client);
            }
            group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        });
        assertEquals(List.of("100000 bytes"), printed);
    }

    @Test
    void shouldCarryAFile(@TempDir Path folder) throws Exception {
        var bytes = new byte[3_000_000];
        new Random(2).nextBytes(bytes);
        Path file = Files.write(folder.resolve("file"), bytes);
        Path copy = folder.resolve("copy");
        try (ServerSocketChannel server = RdmaServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(DeviceAddress.last(), 0));
            var to = (InetSocketAddress) server.getLocalAddress();
            Future<Void> sending = Task.start(() -> assertEquals(bytes.length, SocketFile.send(file, to)));
            assertEquals(bytes.length, SocketFile.receive(server, copy));
            sending.get();
        }
        assertArrayEquals(bytes, Files.readAllBytes(copy));
    }
}
