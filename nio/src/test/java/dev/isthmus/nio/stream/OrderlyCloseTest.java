// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.Hosts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How two peers that keep the rules close: no order of half closes, reads and closes looks like a fault to the other.
 */
@Tag("device")
@Tag("iwarp")
class OrderlyCloseTest {

    private static final int RING = StreamOptions.DEFAULT.receiveBuffer();

    private Company company;
    private Stream client;
    private Stream server;

    @BeforeEach
    void connect() throws Exception {
        company = new Company();
        client = Company.connect(company.address()).get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        server = company.accept();
    }

    @AfterEach
    void close() {
        client.close(true);
        server.close(true);
        company.close();
    }

    private void assertNoReset() throws Exception {
        client.close(true);
        server.close(true);
        client.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        server.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        assertEquals(0, company.logged("is reset"));
    }

    private static void readToEnd(Stream stream, int bytes) throws Exception {
        ByteBuffer into = ByteBuffer.allocate(bytes + 1);
        int length = 0;
        while (length >= 0) {
            length = stream.read(
                    into, Deadlines.after(TestDeadlines.ofSeconds(30).toMillis()));
            assertTrue(length != 0, "nothing came");
        }
        assertEquals(bytes, into.position());
    }

    /**
     * Makes the client write as much as the server has room for before it reads: on iWARP it grants the second
     * half then.
     */
    private int fill() throws Exception {
        int bytes = Hosts.isIwarp() ? RING / 2 : RING;
        assertEquals(
                bytes,
                client.write(
                        ByteBuffer.allocate(bytes),
                        Deadlines.after(TestDeadlines.ofSeconds(30).toMillis())));
        return bytes;
    }

    @Test
    void shouldReadWhatIsThereAfterBothHaveShutTheirOutput() throws Exception {
        int bytes = fill();
        client.shutdownOutput(Deadlines.EVER);
        ByteBuffer first = ByteBuffer.allocate(1); // so that it has seen all, as it is in order
        assertEquals(
                1,
                server.read(first, Deadlines.after(TestDeadlines.ofSeconds(30).toMillis())));
        server.shutdownOutput(Deadlines.EVER);
        readToEnd(server, bytes - 1);
        readToEnd(client, 0);
        assertNoReset();
    }

    @Test
    void shouldCloseAfterBothHaveShutTheirOutput() throws Exception {
        client.shutdownOutput(Deadlines.EVER);
        readToEnd(server, 0);
        server.shutdownOutput(Deadlines.EVER);
        server.close(true);
        readToEnd(client, 0);
        assertNoReset();
    }

    @Test
    void shouldResetAPeerWhoseBytesWereNotRead() throws Exception {
        assertTrue(fill() > 0);
        ByteBuffer first = ByteBuffer.allocate(1); // so that the others are there, too
        assertEquals(
                1,
                server.read(first, Deadlines.after(TestDeadlines.ofSeconds(30).toMillis())));
        server.close(true);
        assertThrows(
                IOException.class,
                () -> client.write(
                        ByteBuffer.allocate(4 * RING),
                        Deadlines.after(TestDeadlines.ofSeconds(30).toMillis())));
        var e = assertThrows(IOException.class, () -> readToEnd(client, 0));
        assertTrue(e.getMessage().contains("without a disconnect message"), e::toString);
    }

    @Test
    void shouldResetAtOnceWithoutADisconnectMessage() throws Exception {
        assertEquals(100, client.write(ByteBuffer.allocate(100), Deadlines.NEVER));
        client.close(false);
        var e = assertThrows(IOException.class, () -> readToEnd(server, 100));
        assertTrue(e.getMessage().contains("without a disconnect message"), e::toString);
        client.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }
}
