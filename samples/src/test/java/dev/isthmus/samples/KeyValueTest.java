// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Connector;
import dev.isthmus.cm.Listener;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class KeyValueTest {

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(60);

    private final KeyValueServer server = new KeyValueServer();

    /** The part of the clients, on a thread of its own, while this one accepts this many of them. */
    private interface Clients {
        void use(InetSocketAddress address) throws Exception;
    }

    private void serve(int count, Clients clients) throws Exception {
        try (Listener listener = server.listen(new InetSocketAddress(DeviceAddress.last(), 0))) {
            InetSocketAddress at = listener.localAddress();
            Future<Void> using = Task.start(() -> clients.use(at));
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < count; i++) {
                threads.add(server.serve(listener));
            }
            using.get();
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static Map<String, String> values(KeyValueClient client, List<String> keys) throws Exception {
        return client.get(keys).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().value()));
    }

    @Test
    void shouldReadWithoutTheServerWhatWasFoundOnce() throws Exception {
        serve(2, address -> {
            try (var writer = KeyValueClient.connect(address);
                    var reader = KeyValueClient.connect(address)) {
                List<String> keys =
                        IntStream.range(0, 40).mapToObj(i -> "key" + i).toList();
                for (String key : keys) {
                    writer.set(key, "of " + key);
                }
                Map<String, String> expected = keys.stream().collect(Collectors.toMap(key -> key, key -> "of " + key));
                assertEquals(40, server.requests());
                assertEquals(expected, values(writer, keys)); // where they are came with the answers
                assertEquals(40, server.requests());
                assertEquals(expected, values(reader, keys)); // asks, once
                assertEquals(80, server.requests());
                writer.set("key7", "grüße");
                assertEquals("grüße", values(reader, keys).get("key7"));
                assertEquals(4, reader.get(keys).get("key7").version());
                assertEquals(81, server.requests());
            }
        });
    }

    @Test
    void shouldNoticeThatASlotBelongsToAnotherKey() throws Exception {
        serve(2, address -> {
            try (var writer = KeyValueClient.connect(address);
                    var reader = KeyValueClient.connect(address)) {
                writer.set("old", "1");
                assertEquals(Map.of("old", "1"), values(reader, List.of("old", "none")));
                writer.delete("old");
                writer.set("new", "2"); // gets the slot
                assertEquals(Map.of("new", "2"), values(reader, List.of("old", "new")));
                writer.set("old", "3"); // gets another one
                assertEquals(Map.of("old", "3", "new", "2"), values(reader, List.of("old", "new")));
            }
        });
    }

    @Test
    void shouldNeverReadHalfAValue() throws Exception {
        serve(2, address -> {
            Future<Void> writing = Task.start(() -> {
                try (var writer = KeyValueClient.connect(address)) {
                    for (int i = 0; i < 200; i++) {
                        writer.set("key", Integer.toString(1000 + i).repeat(25));
                    }
                }
            });
            try (var reader = KeyValueClient.connect(address)) {
                long version = 0;
                for (boolean isLast = false; !isLast; ) {
                    isLast = writing.isDone();
                    KeyValueServer.Entry entry = reader.get(List.of("key")).get("key");
                    if (entry != null) {
                        assertEquals(entry.value().substring(0, 4).repeat(25), entry.value());
                        assertTrue(entry.version() >= version, () -> "went back to " + entry);
                        version = entry.version();
                    }
                }
                writing.get();
                assertEquals(400, version);
            }
        });
    }

    @Test
    void shouldRefuseWhatDoesNotFit() throws Exception {
        serve(1, address -> {
            try (var client = KeyValueClient.connect(address)) {
                assertThrows(IllegalArgumentException.class, () -> client.set("", "x"));
                assertThrows(IllegalArgumentException.class, () -> client.set("key", "x".repeat(110)));
                for (int i = 0; i < 1024; i++) {
                    client.set("key" + i, "");
                }
                assertThrows(IOException.class, () -> client.set("one more", ""));
                client.delete("key5");
                client.set("one more", "fits");
                assertEquals(Map.of("one more", "fits"), values(client, List.of("key5", "one more")));
            }
        });
    }

    /** Sends any request; returns whether the server says that it was done. */
    private static boolean ask(Connection connection, RegisteredMemory memory, byte... message)
            throws InterruptedException {
        memory.segment().asByteBuffer().put(0, message);
        connection.queuePair().post(ReceiveRequest.prepare(memory.region()).range(512, KeyValueServer.ANSWER));
        connection
                .queuePair()
                .post(SendRequest.prepare(memory.region())
                        .range(0, message.length)
                        .signaled(true));
        var done = WorkCompletions.allocate(1);
        for (int seen = 0; seen < 2; seen++) {
            assertEquals(1, connection.await(done, DEADLINE));
            assertTrue(done.isSuccess(0), done::toString);
        }
        return memory.segment().asByteBuffer().get(512) == 1;
    }

    /** A request of some kind, which claims that its key has this many bytes. */
    private static byte[] request(int kind, int keyLength, byte[] keyAndValue) {
        return ByteBuffer.allocate(3 + keyAndValue.length)
                .put((byte) kind)
                .putShort((short) keyLength)
                .put(keyAndValue)
                .array();
    }

    @Test
    void shouldDoNothingForRequestsThatMakeNoSense() throws Exception {
        byte[] most = new byte[KeyValueServer.MAX_BYTES];
        Arrays.fill(most, (byte) 0xff); // no UTF-8: each byte of the key becomes a character of three
        serve(1, address -> {
            try (var connection = Connector.connect(address, DEADLINE)) {
                var memory = connection.allocate(1024, AccessFlag.LOCAL_WRITE);
                assertFalse(ask(connection, memory));
                assertFalse(ask(connection, memory, KeyValueServer.FIND, (byte) 0));
                for (int keyLength : new int[] {0, -1, Short.MIN_VALUE, 4, Short.MAX_VALUE}) {
                    assertFalse(ask(connection, memory, request(KeyValueServer.SET, keyLength, new byte[3])));
                }
                assertFalse(ask(connection, memory, request(77, 1, new byte[3])));
                assertFalse(ask(connection, memory, request(KeyValueServer.SET, 1, most)));
                assertFalse(ask(connection, memory, request(KeyValueServer.FIND, 1, new byte[1])));
                assertTrue(ask(connection, memory, request(KeyValueServer.SET, 1, new byte[KeyValueServer.MAX_BYTES])));
                assertTrue(ask(connection, memory, request(KeyValueServer.FIND, 1, new byte[1])));
            }
        });
    }

    @Test
    void shouldEndAConnectionThatSendsMoreThanARequest() throws Exception {
        serve(2, address -> {
            try (var connection = Connector.connect(address, DEADLINE);
                    var other = KeyValueClient.connect(address)) {
                var memory = connection.allocate(KeyValueServer.REQUEST + 1, AccessFlag.LOCAL_WRITE);
                connection.queuePair().post(SendRequest.prepare(memory.region()));
                assertEquals(
                        CmException.Failure.DISCONNECTED,
                        connection.awaitEnd(DEADLINE).failure());
                other.set("key", "of another client");
            }
        });
    }

    @Test
    void shouldPrintWhatThePageShows() throws Exception {
        List<SamplesPage.Command> commands = SamplesPage.commands("KeyValueClient");
        List<String> printed = Output.of(() -> serve(commands.size(), address -> {
            for (SamplesPage.Command command : commands) {
                KeyValueClient.main(command.with(address.getHostString(), "" + address.getPort()));
            }
        }));
        SamplesPage.assertPrint(printed, "KeyValueServer", "KeyValueClient");
    }
}
