// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.KernelObjects;
import dev.isthmus.testbed.ProcessFigures;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections that are created, used and closed leave nothing behind: no memory, descriptor or object of the kernel.
 */
@Tag("device")
@Tag("iwarp")
@Tag("extended")
@Timeout(1100)
class ManyConnectionsTest {

    /** 10,000 take minutes in an emulated guest: {@code -Disthmus.test.connections=10000}. */
    private static final int COUNT = Integer.getInteger("isthmus.test.connections", 1000);

    private static final long BYTES_EACH = 4096; // a page, which each ring and queue of a connection has at the least

    private static void connectAndClose(RdmaServerSocketChannel server) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        try (var client = RdmaSocketChannel.open(server.getLocalAddress());
                RdmaSocketChannel accepted = server.accept()) {
            client.write(one.clear());
            assertEquals(1, accepted.read(one.clear()));
            // Each close waits until nothing is left of its side.
            client.setOption(StandardSocketOptions.SO_LINGER, Math.toIntExact(TestDeadlines.seconds(60)));
            accepted.setOption(StandardSocketOptions.SO_LINGER, Math.toIntExact(TestDeadlines.seconds(60)));
            if (Hosts.isIwarp()) { // where either of them waits a while for the other to close
                closeBoth(client, accepted);
            }
        }
    }

    /** At the same time. */
    private static void closeBoth(RdmaSocketChannel one, RdmaSocketChannel other) throws IOException {
        Running<Void> closing = Running.of(() -> {
            one.close();
            return null;
        });
        other.close();
        try {
            closing.get();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    @Test
    void shouldLeaveNothingBehind() throws Exception {
        try (var server = RdmaServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(Hosts.far(), 0));
            connectAndClose(server);
            KernelObjects before = KernelObjects.now();
            long begin = System.nanoTime();
            ProcessFigures.assertSteady(
                    () -> {
                        for (int i = 0; i < COUNT / ProcessFigures.ROUNDS; i++) {
                            connectAndClose(server);
                        }
                    },
                    COUNT / 2 * BYTES_EACH);
            System.out.println(COUNT + " connections: " + (System.nanoTime() - begin) / 1_000_000 + " ms, "
                    + ProcessFigures.now());
            before.assertNoMore();
        }
    }
}
