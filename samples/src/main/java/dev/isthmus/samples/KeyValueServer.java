// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isthmus.CmException;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Listener;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Holds keys and values in memory that clients read directly: see {@link KeyValueClient}. A message sets a value,
 * deletes one, or asks where one is. A client that knows the place reads it there, and no thread of this process takes
 * part. A slot's version is odd while it is written, and its checksum tells a reader whether the parts that it has read
 * belong together.
 */
public final class KeyValueServer {

    /** Bytes of a slot: version (8), sum (4), length of the key (2) and of the value (2), key, value. */
    static final int SLOT = 128;

    /** Bytes of key and value together. */
    static final int MAX_BYTES = SLOT - 16;

    /** The longest request: what is wanted (1), length of the key (2), key, value. */
    static final int REQUEST = 3 + MAX_BYTES;

    /** An answer: whether it was done (1), and where the slot is. */
    static final int ANSWER = 1 + RemoteMemory.BYTES;

    static final byte FIND = 1;
    static final byte SET = 2;
    static final byte DELETE = 3;

    private static final int SLOTS = 1024;

    private final MemorySegment table = Arena.ofAuto().allocate((long) SLOTS * SLOT, SLOT);
    private final Map<String, Integer> slots = new HashMap<>(); // guarded by this, as the table's content
    private final Deque<Integer> free =
            new ArrayDeque<>(IntStream.range(0, SLOTS).boxed().toList());
    private final AtomicLong requests = new AtomicLong();

    /** What a client reads. */
    record Entry(long version, String key, String value) {}

    /** What belongs to a connection: the table as its client may reach it, and memory for messages. */
    private record ClientBuffers(MemoryRegion table, RegisteredMemory messages) {}

    KeyValueServer() {}

    /**
     * Needs an RDMA device. Runs until you end it.
     *
     * @param args the address and port to listen at
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws InterruptedException {
        if (args.length < 2) {
            System.err.println("usage: KeyValueServer ADDRESS PORT");
            System.exit(2);
        }
        var server = new KeyValueServer();
        try (var listener = server.listen(new InetSocketAddress(args[0], Integer.parseInt(args[1])))) {
            while (true) {
                server.serve(listener);
            }
        }
    }

    Listener listen(InetSocketAddress address) {
        var listener = Listener.bind(address, config -> config.connections(setup -> setup.prepare(this::prepare)));
        System.out.println("listening at " + listener.localAddress());
        return listener;
    }

    /** How many messages came. */
    long requests() {
        return requests.get();
    }

    private void prepare(Connection connection) {
        MemoryRegion shared =
                connection.closeWith(connection.protectionDomain().register(table, AccessFlag.REMOTE_READ));
        var buffers = new ClientBuffers(shared, connection.allocate(REQUEST + ANSWER, AccessFlag.LOCAL_WRITE));
        connection.id().attach(buffers);
        connection.queuePair().post(receive(buffers));
    }

    private static ReceiveRequest receive(ClientBuffers buffers) {
        return ReceiveRequest.prepare(buffers.messages().region()).range(0, REQUEST);
    }

    /** Accepts a client, and leaves it to a thread of its own. */
    Thread serve(Listener listener) throws InterruptedException {
        Connection connection = listener.accept();
        Thread thread = Thread.ofPlatform().unstarted(() -> serve(connection));
        connection.handOver(thread);
        thread.start();
        return thread;
    }

    private void serve(Connection connection) {
        int count = 0;
        try (connection) {
            var buffers = (ClientBuffers) connection.id().attachment();
            var answer = SendRequest.prepare(buffers.messages().region())
                    .range(REQUEST, ANSWER)
                    .signaled(true);
            var done = WorkCompletions.allocate(1); // a client asks again when it has been answered
            while (true) {
                int n = connection.await(done, Duration.ofDays(1));
                if (n == 1 && !done.isSuccess(0)) { // it has gone, or sent more than a request: the next wait says so
                    connection.disconnect();
                } else if (n == 1 && done.opcode(0) == CompletionOpcode.RECV) {
                    count++;
                    answer(buffers, Math.toIntExact(done.byteLength(0)));
                    connection.queuePair().post(receive(buffers));
                    connection.queuePair().post(answer);
                }
            }
        } catch (CmException e) {
            System.out.println(connection.peerAddress() + ": " + e.failure() + ", requests: " + count);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A client may send anything: a request that makes no sense is answered as one that could not be done. */
    private void answer(ClientBuffers buffers, int length) {
        requests.incrementAndGet();
        ByteBuffer bytes = buffers.messages().segment().asByteBuffer();
        int slot = -1;
        int keyLength = length < 3 ? -1 : bytes.getShort(1);
        if (keyLength > 0 && keyLength <= length - 3) {
            String key = UTF_8.decode(bytes.slice(3, keyLength)).toString();
            byte[] value = new byte[length - 3 - keyLength];
            bytes.get(3 + keyLength, value);
            slot = switch (bytes.get(0)) {
                case FIND -> find(key);
                case SET -> set(key, value);
                case DELETE -> delete(key);
                default -> -1;
            };
        }
        bytes.put(REQUEST, (byte) (slot < 0 ? 0 : 1));
        buffers.table()
                .remoteMemory()
                .slice((long) Math.max(slot, 0) * SLOT, SLOT)
                .write(bytes.position(REQUEST + 1));
    }

    private synchronized int find(String key) {
        return slots.getOrDefault(key, -1);
    }

    private synchronized int set(String key, byte[] value) {
        byte[] bytes = key.getBytes(UTF_8); // longer than what came, if that was not UTF-8
        Integer slot = slots.getOrDefault(key, free.peek());
        if (slot == null || bytes.length + value.length > MAX_BYTES) {
            return -1;
        }
        if (slots.put(key, slot) == null) {
            free.pop();
        }
        write(slot, bytes, value);
        return slot;
    }

    /** Another key may get the slot: who still reads it there finds that it is not the one that was wanted. */
    private synchronized int delete(String key) {
        Integer slot = slots.remove(key);
        if (slot == null) {
            return -1;
        }
        write(slot, new byte[0], new byte[0]);
        free.push(slot);
        return slot;
    }

    private void write(int slot, byte[] key, byte[] value) {
        ByteBuffer bytes = table.asSlice((long) slot * SLOT, SLOT).asByteBuffer();
        long version = bytes.getLong(0);
        bytes.putLong(0, version + 1);
        VarHandle.fullFence(); // the odd version before the rest, and that before the even one
        var whole = ByteBuffer.allocate(SLOT).putLong(0, version + 2);
        whole.putShort(12, (short) key.length).putShort(14, (short) value.length);
        whole.put(16, key).put(16 + key.length, value);
        bytes.putInt(8, sum(whole.array())).put(12, whole.array(), 12, SLOT - 12);
        VarHandle.fullFence();
        bytes.putLong(0, version + 2);
    }

    /** Of all but the sum itself. */
    private static int sum(byte[] slot) {
        var sum = new CRC32C();
        sum.update(slot, 0, 8);
        sum.update(slot, 12, SLOT - 12);
        return (int) sum.getValue();
    }

    /** What is in a slot as it was read; null if it was being written meanwhile. */
    static Entry entry(byte[] slot) {
        var bytes = ByteBuffer.wrap(slot);
        long version = bytes.getLong();
        int sum = bytes.getInt();
        int keyLength = bytes.getShort();
        int valueLength = bytes.getShort();
        if (version % 2 != 0
                || sum != sum(slot)
                || (keyLength | valueLength) < 0
                || keyLength + valueLength > MAX_BYTES) {
            return null;
        }
        return new Entry(
                version, new String(slot, 16, keyLength, UTF_8), new String(slot, 16 + keyLength, valueLength, UTF_8));
    }
}
