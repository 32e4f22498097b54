// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.verbs.RegisteredMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Memory that one side of a stream maps for the other to write into: {@code riomap}, {@code riounmap} and
 * {@code riowrite} of rsocket.c. Thread-safe, by the stream's lock.
 *
 * <p>The peer writes an entry of this side's iomap, and then says which. Only then is the entry read, once, and kept if
 * it is plausible. What the peer writes there at other times changes nothing.
 */
public final class Iomaps {

    /** The length of an entry has 32 bits. */
    private static final long MAX_BYTES = 0xffff_ffffL;

    // Offsets in struct rs_iomap.
    private static final int ADDRESS = 8;
    private static final int KEY = 16;
    private static final int LENGTH = 20;

    private final Stream stream;
    private final Writers writers;
    private final ReentrantLock lock;
    private final Link link;
    private final MemorySegment entries; // written by the peer
    private final long[] offsets; // as the peer said last; so are the next three
    private final long[] addresses;
    private final long[] lengths;
    private final int[] keys;
    private final Writers.Step announcing = this::announce; // created once, as a write must not allocate
    private final Writers.Step writing = this::write;
    private int announced; // how many entries, from the first on, the peer may have announced
    private SendSide sends; // null until it is connected, like the next field
    private ConnectionData peer;
    private Mapping[] mapped = {}; // by entry at the peer; grows as needed, since the peer names the number of entries

    /** Memory that this side has mapped. */
    public final class Mapping {

        private final int index;
        private final RegisteredMemory memory;

        private Mapping(int index, RegisteredMemory memory) {
            this.index = index;
            this.memory = memory;
        }

        /**
         * The memory.
         *
         * @return the segment, which lives until this or the stream is closed
         */
        public MemorySegment segment() {
            return memory.segment();
        }

        /**
         * Deregisters and frees the memory. A peer that writes to it after that breaks the connection. Does nothing if
         * it is closed already.
         *
         * @throws IllegalStateException if another thread is in a call that uses the memory
         */
        public void close() {
            lock.lock();
            try {
                link.unmap(memory);
                mapped[index] = mapped[index] == this ? null : mapped[index];
            } finally {
                lock.unlock();
            }
        }
    }

    Iomaps(Stream stream, Writers writers, ReentrantLock lock, Link link) {
        int size = link.options().iomapSize();
        this.stream = stream;
        this.writers = writers;
        this.lock = lock;
        this.link = link;
        this.entries = link.memory().iomap();
        this.offsets = new long[size];
        this.addresses = new long[size];
        this.lengths = new long[size];
        this.keys = new int[size];
    }

    /** The connection is established. */
    void connected(SendSide to, ConnectionData data) {
        sends = to;
        peer = data;
    }

    /**
     * Maps memory, and announces it to the peer ahead of anything that is written later.
     *
     * @param offset the offset by which the peer addresses the first byte
     * @param bytes how much
     * @param deadline {@link Deadlines#NEVER} not to wait, or when to stop waiting for room to announce it
     * @return the mapping; null if the time is up
     * @throws IOException if the connection has failed, the peer has no entry left, or the memory cannot be pinned
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Mapping map(long offset, long bytes, long deadline) throws IOException, InterruptedException {
        if (offset < 0 || bytes < 1 || bytes > MAX_BYTES || offset > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("cannot map " + bytes + " bytes at offset " + offset
                    + ": map 1 to 2^32 - 1 bytes, at an offset that is not negative");
        }
        Mapping made = make(bytes);
        boolean sent = false;
        try {
            sent = inTurn(announcing, entry(offset, made.memory), made.index, deadline);
        } finally {
            if (!sent) {
                made.close();
            }
        }
        return sent ? made : null;
    }

    private boolean inTurn(Writers.Step step, ByteBuffer from, long at, long deadline)
            throws IOException, InterruptedException {
        lock.lock();
        try {
            stream.checkWritable();
            return writers.inTurn(step, from, at, deadline);
        } finally {
            writers.finish();
            lock.unlock();
        }
    }

    private Mapping make(long bytes) throws IOException {
        lock.lock();
        try {
            stream.checkWritable();
            int index = 0;
            while (index < mapped.length && mapped[index] != null) {
                index++;
            }
            if (index == peer.iomapSize()) {
                throw new IOException("the peer lets this side map " + index + " regions at a time: close one, or"
                        + " have the peer set IOMAP_SIZE (in C RDMA_IOMAPSIZE) before it connects or listens");
            }
            if (index == mapped.length) {
                mapped = Arrays.copyOf(mapped, Math.min(2 * index + 1, peer.iomapSize()));
            }
            mapped[index] = new Mapping(index, link.map(bytes)); // locked, or the connection could end in between
            return mapped[index];
        } finally {
            lock.unlock();
        }
    }

    /** The entry of the peer's iomap, in its byte order. */
    private ByteBuffer entry(long offset, RegisteredMemory memory) {
        return ByteBuffer.allocate(ConnectionData.IOMAP_BYTES)
                .order(peer.bigEndian() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN)
                .putLong(offset)
                .putLong(memory.region().address())
                .putInt(memory.region().rkey())
                .putInt((int) memory.region().length())
                .flip();
    }

    private boolean announce(ByteBuffer entry, long index) throws IOException {
        if (!sends.place(entry, peer.iomap((int) index) + entry.position(), peer.targetsKey()) || !sends.isReady()) {
            return false;
        }
        sends.sendCounted(Message.of(Message.IOMAP, (int) index));
        return true;
    }

    /** The peer has written an entry. */
    void onAnnounced(int index) throws ProtocolException {
        if (index >= keys.length) {
            throw new ProtocolException(
                    "the peer mapped a region as number " + index + ", but may map only " + keys.length);
        }
        long at = (long) index * ConnectionData.IOMAP_BYTES;
        long offset = entries.get(JAVA_LONG, at); // each is read once: the peer may overwrite it at any time
        long address = entries.get(JAVA_LONG, at + ADDRESS);
        int key = entries.get(JAVA_INT, at + KEY);
        long length = Integer.toUnsignedLong(entries.get(JAVA_INT, at + LENGTH));
        if (offset < 0 || offset > Long.MAX_VALUE - length) {
            throw new ProtocolException(
                    "the peer mapped " + length + " bytes at offset " + offset + ", which is out of range");
        }
        if (Long.compareUnsigned(address, -1 - length) > 0) {
            throw new ProtocolException("the peer mapped " + length + " bytes at address " + Long.toHexString(address)
                    + ", beyond the end of the address space");
        }
        offsets[index] = offset;
        addresses[index] = address;
        lengths[index] = length;
        keys[index] = key;
        announced = Math.max(announced, index + 1);
    }

    /**
     * Writes into memory that the peer has mapped, without a message.
     *
     * @param from what to write
     * @param offset where to write, in the peer's offsets
     * @param deadline {@link Deadlines#NEVER} to write what can be sent now, or when to stop waiting to send all of it
     * @return how many bytes
     * @throws IndexOutOfBoundsException if not all of it is within one region that the peer has mapped
     * @throws IOException if the connection has failed, or the peer has left
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public int write(ByteBuffer from, long offset, long deadline) throws IOException, InterruptedException {
        int begin = from.position();
        inTurn(writing, from, offset - begin, deadline);
        return from.position() - begin;
    }

    private boolean write(ByteBuffer from, long base) throws IOException {
        if (!from.hasRemaining()) {
            return true;
        }
        long offset = base + from.position();
        int index = covering(offset, from.remaining());
        return sends.place(from, addresses[index] + (offset - offsets[index]), keys[index]);
    }

    /** The first region that contains the whole range; rsocket also takes the first. */
    private int covering(long offset, int length) throws IOException {
        int index = find(offset, length);
        if (index < 0 && stream.progress()) { // its announcement may have arrived unseen
            stream.checkWritable();
            index = find(offset, length);
        }
        if (index < 0) {
            throw new IndexOutOfBoundsException("the peer has mapped no region with the " + length + " bytes at offset "
                    + offset + ": have it map one and then write something, and read that first");
        }
        return index;
    }

    private int find(long offset, int length) {
        for (int i = 0; i < announced; i++) {
            if (offset >= offsets[i] && length <= lengths[i] && offset - offsets[i] <= lengths[i] - length) {
                return i;
            }
        }
        return -1;
    }
}
