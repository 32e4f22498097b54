// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.TestDeadlines;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Over a link that loses packets, which the devices send again. */
@Tag("device")
@Tag("iwarp")
class LostPacketsTest {

    private static final int BYTES = 1_000;
    private static final int SPACING_MILLIS = 20; // between two messages
    private static final int TRIES = 10;

    /** Of two seconds for which a close waits, so that TCP sends again once more before they are over. */
    private static final long LONGEST_OUTAGE_MILLIS = 1_000;

    /** Loses everything for a while that is shorter than a close waits, however slowly this JVM starts programs. */
    private static ChildProgram outage(String link) {
        String root = " dev " + link + " root";
        return new ChildProgram(
                "sh", "-c", "tc qdisc add" + root + " netem loss 100% && echo lossy && sleep 0.3; tc qdisc del" + root);
    }

    /** On iWARP, TCP has taken the bytes and the disconnect message by then, and nobody has received them. */
    @Test
    void shouldDeliverWhatWasWrittenBeforeAClose() throws Exception {
        for (int tries = 1; !isDelivered(); tries++) {
            assertTrue(tries < TRIES, "each time something was lost");
        }
    }

    /** False if something was lost, and the link may have been down for longer than a close waits. */
    private static boolean isDelivered() throws Exception {
        String link = ForeignPeersTest.nameOf(Hosts.near());
        RdmaSocketChannel client = RdmaSocketChannel.open();
        try (var listener = RdmaServerSocketChannel.open().bind(new InetSocketAddress(Hosts.far(), 0))) {
            client.bind(new InetSocketAddress(Hosts.near(), 0));
            client.connect(listener.getLocalAddress());
            try (var server = listener.accept();
                    var outage = outage(link)) {
                outage.await("lossy");
                long begin = System.nanoTime();
                client.write(ByteBuffer.allocate(BYTES));
                client.close();
                try {
                    while (outage.isRunning()) { // meets a socket that is closed
                        server.write(ByteBuffer.allocate(1));
                        TimeUnit.MILLISECONDS.sleep(SPACING_MILLIS);
                    }
                    outage.ended();
                    server.socket()
                            .setSoTimeout((int) TestDeadlines.ofSeconds(60).toMillis());
                    assertEquals(BYTES, server.socket().getInputStream().readNBytes(BYTES).length);
                    assertEquals(-1, server.socket().getInputStream().read());
                } catch (SocketException e) {
                    long millis = (System.nanoTime() - begin) / 1_000_000;
                    if (millis < LONGEST_OUTAGE_MILLIS) {
                        throw e;
                    }
                    System.out.println("again: " + millis + " ms after the link went down: " + e);
                    return false;
                }
                return true;
            }
        }
    }
}
