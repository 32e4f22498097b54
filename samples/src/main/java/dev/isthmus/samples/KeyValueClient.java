// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Connector;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads values of a {@link KeyValueServer} by RDMA READ, in which no thread of the server takes part. A message asks
 * once where a key is, and the client remembers the answer. One chain of requests reads several keys, and only the last
 * request produces a completion.
 */
public final class KeyValueClient implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int CHAIN = 16; // reads that are posted at once
    private static final int TRIES = 1000; // of a read that meets a write
    private static final int SLOT = KeyValueServer.SLOT;

    // What the memory holds: a request, an answer, and slots that were read.
    private static final int ANSWER_AT = KeyValueServer.REQUEST;
    private static final int SLOTS_AT = ANSWER_AT + KeyValueServer.ANSWER;

    private final Connection connection;
    private final RegisteredMemory memory;
    private final ByteBuffer bytes; // the memory
    private final SendRequest[] reads = new SendRequest[CHAIN];
    private final WorkCompletions done = WorkCompletions.allocate(1);

    /** Where a key is, or was: its server may have given the slot to another one. */
    private final Map<String, RemoteMemory> places = new HashMap<>();

    private KeyValueClient(Connection connection) {
        this.connection = connection;
        memory = connection.allocate(SLOTS_AT + CHAIN * SLOT, AccessFlag.LOCAL_WRITE);
        bytes = memory.segment().asByteBuffer();
        for (int i = 0; i < CHAIN; i++) {
            reads[i] = SendRequest.prepare(memory.region())
                    .opcode(SendOpcode.RDMA_READ)
                    .range(SLOTS_AT + i * SLOT, SLOT);
        }
    }

    static KeyValueClient connect(InetSocketAddress server) throws InterruptedException {
        return new KeyValueClient(Connector.connect(server, DEADLINE));
    }

    /**
     * Needs an RDMA device.
     *
     * @param args the address and port of the server; {@code set KEY VALUE}, {@code delete KEY} or {@code get KEY...}
     * @throws IOException if the server does not answer, or refuses
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws IOException, InterruptedException {
        if (args.length < 4) {
            System.err.println("usage: KeyValueClient ADDRESS PORT set KEY VALUE | delete KEY | get KEY...");
            System.exit(2);
        }
        try (var client = connect(new InetSocketAddress(args[0], Integer.parseInt(args[1])))) {
            switch (args[2]) {
                case "set" -> client.set(args[3], args[4]);
                case "delete" -> client.delete(args[3]);
                case "get" ->
                    client.get(List.of(args).subList(3, args.length))
                            .forEach((key, entry) -> System.out.println(
                                    key + " = " + entry.value() + " (version " + entry.version() + ")"));
                default -> throw new IllegalArgumentException("not set, delete or get: " + args[2]);
            }
        }
    }

    void set(String key, String value) throws IOException, InterruptedException {
        RemoteMemory place = ask(KeyValueServer.SET, key, value);
        if (place == null) {
            throw new IOException("the server has no room for '" + key + "'");
        }
        places.put(key, place);
    }

    void delete(String key) throws IOException, InterruptedException {
        places.remove(key);
        ask(KeyValueServer.DELETE, key, "");
    }

    /** The entries of those keys that there are. */
    Map<String, KeyValueServer.Entry> get(List<String> keys) throws IOException, InterruptedException {
        var found = new LinkedHashMap<String, KeyValueServer.Entry>();
        Set<String> wanted = new LinkedHashSet<>(keys);
        for (int tries = 0; !wanted.isEmpty(); tries++) {
            if (tries == TRIES + keys.size()) {
                throw new IOException(wanted + " cannot be read: always being written");
            }
            List<String> some = locate(wanted);
            read(some);
            for (int i = 0; i < some.size(); i++) {
                String key = some.get(i);
                byte[] slot = new byte[SLOT];
                bytes.get(SLOTS_AT + i * SLOT, slot);
                KeyValueServer.Entry entry = KeyValueServer.entry(slot);
                if (entry == null) {
                    continue; // it was being written, and is read once more
                }
                if (entry.key().equals(key)) {
                    found.put(key, entry);
                    wanted.remove(key);
                } else {
                    places.remove(key); // it was deleted: perhaps it is elsewhere now
                }
            }
        }
        return found;
    }

    /** As many of the keys as are read at once; those that the server does not have are not wanted any more. */
    private List<String> locate(Set<String> wanted) throws IOException, InterruptedException {
        var some = new ArrayList<String>();
        for (String key : List.copyOf(wanted)) {
            RemoteMemory place = places.get(key);
            if (place == null) {
                place = ask(KeyValueServer.FIND, key, "");
            }
            if (place == null) {
                wanted.remove(key);
            } else {
                places.put(key, place);
                some.add(key);
            }
            if (some.size() == CHAIN) {
                break;
            }
        }
        return some;
    }

    /** One call posts all of them, and one completion says that all are done. */
    private void read(List<String> keys) throws IOException, InterruptedException {
        for (int i = 0; i < keys.size(); i++) {
            RemoteMemory place = places.get(keys.get(i));
            boolean isLast = i == keys.size() - 1;
            reads[i].remote(place, 0).signaled(isLast).next(isLast ? null : reads[i + 1]);
        }
        if (!keys.isEmpty()) {
            if (connection.queuePair().tryPostChain(reads[0]) != null) {
                throw new IllegalStateException("the send queue is full");
            }
            await(1);
        }
    }

    /** Sends a request and waits for its answer: where the key is, or null. */
    private RemoteMemory ask(byte what, String key, String value) throws IOException, InterruptedException {
        byte[] k = key.getBytes(UTF_8);
        byte[] v = value.getBytes(UTF_8);
        if (k.length == 0 || k.length + v.length > KeyValueServer.MAX_BYTES) {
            throw new IllegalArgumentException("a key has at least a byte, and it and its value at most "
                    + KeyValueServer.MAX_BYTES + ": '" + key + "'");
        }
        bytes.put(0, what).putShort(1, (short) k.length).put(3, k).put(3 + k.length, v);
        connection.queuePair().post(ReceiveRequest.prepare(memory.region()).range(ANSWER_AT, KeyValueServer.ANSWER));
        connection
                .queuePair()
                .post(SendRequest.prepare(memory.region())
                        .range(0, 3 + k.length + v.length)
                        .signaled(true));
        await(2); // the request's completion, and the answer's, which may come in either order
        return bytes.get(ANSWER_AT) == 0 ? null : RemoteMemory.read(bytes.slice(ANSWER_AT + 1, RemoteMemory.BYTES));
    }

    private void await(int count) throws IOException, InterruptedException {
        for (int seen = 0; seen < count; seen++) {
            if (connection.await(done, DEADLINE) == 0) {
                throw new IOException("the server has not answered for " + DEADLINE.toSeconds() + " s");
            }
            if (!done.isSuccess(0)) {
                throw new IOException("the server does not answer: " + done.status(0));
            }
            if (done.opcode(0) == CompletionOpcode.RECV && done.byteLength(0) != KeyValueServer.ANSWER) {
                throw new IOException("the server's answer has " + done.byteLength(0) + " bytes");
            }
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
