// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isthmus.GuardedArena;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * Memory that NIO code and an RDMA device share, without a copy. A channel reads a file into registered memory. RDMA
 * moves it to a direct buffer that NIO code has allocated, which decodes it and computes its checksum there.
 */
public final class NioBuffers {

    private static final int HEADER = Long.BYTES; // the file's length
    private static final int MAX_BYTES = 1 << 20; // bytes of a file

    private NioBuffers() {}

    /**
     * Needs an RDMA device.
     *
     * @param args the file, a short text
     * @throws IOException if it cannot be read
     */
    public static void main(String... args) throws IOException {
        if (args.length < 1) {
            System.err.println("usage: NioBuffers FILE");
            System.exit(2);
        }
        // A buffer of NIO's own. The segment is the same memory, and keeps the buffer from the collector.
        ByteBuffer buffer = ByteBuffer.allocateDirect(HEADER + MAX_BYTES);
        try (var arena = GuardedArena.ofConfined();
                var device = Device.first().open();
                var pd = device.allocateProtectionDomain();
                var cq = device.createCompletionQueue(16);
                var a = pd.createQueuePair(QueuePairType.RC, cq, cq);
                var b = pd.createQueuePair(QueuePairType.RC, cq, cq);
                var source = pd.register(arena.allocate(HEADER + MAX_BYTES), AccessFlag.LOCAL_WRITE);
                var target =
                        pd.register(MemorySegment.ofBuffer(buffer), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)) {
            var gid = device.defaultGid(1);
            a.connect(gid, b.address(gid));
            b.connect(gid, a.address(gid));
            int length = read(Path.of(args[0]), source);
            a.post(SendRequest.prepare(source)
                    .range(0, length)
                    .opcode(SendOpcode.RDMA_WRITE)
                    .remote(target.remoteMemory(), 0)
                    .signaled(true));
            var done = WorkCompletions.allocate(1);
            while (cq.poll(done) == 0) {
                Thread.onSpinWait();
            }
            if (!done.isSuccess(0)) {
                throw new IOException("the write failed: " + done.status(0));
            }
            print(buffer);
        }
    }

    /** Reads a file into registered memory: a view's position and byte order are its own, its bytes are the region's. */
    private static int read(Path file, MemoryRegion region) throws IOException {
        ByteBuffer view = region.segment().asByteBuffer(); // big-endian, as every new buffer
        ByteBuffer text = view.slice(HEADER, MAX_BYTES);
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() > MAX_BYTES) {
                throw new IOException(file + " is longer than " + MAX_BYTES + " bytes");
            }
            while (text.hasRemaining() && channel.read(text) >= 0) {} // it may read less than there is
        }
        view.putLong(0, text.position());
        return HEADER + text.position();
    }

    /** Code of NIO, which knows nothing of RDMA. */
    private static void print(ByteBuffer buffer) {
        int length = Math.toIntExact(buffer.getLong());
        ByteBuffer text = buffer.slice(HEADER, length);
        var sum = new CRC32C();
        sum.update(text.duplicate()); // a further view: this one's position moves, that of "text" does not
        System.out.printf("%d bytes, CRC-32C %08x%n", length, sum.getValue());
        UTF_8.decode(text).toString().lines().forEach(System.out::println);
    }
}
