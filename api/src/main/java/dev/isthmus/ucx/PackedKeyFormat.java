// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ucx.UcxLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The format in which {@code ucp_rkey_pack} writes a key, as far as it is the same from UCX 1.12 to 1.22, in the
 * machine's order:
 *
 * <pre>
 *   | memory domains, a bit each, 8 bytes | memory type, 1 byte | for each bit: length, 1 byte; so many bytes |
 *   | since 1.20: the device, and distances |
 * </pre>
 *
 * C does not get the length of a key, so everything that a key mentions must lie within it.
 */
final class PackedKeyFormat {

    private static final int HEAD_BYTES = Long.BYTES + 1;
    private static final int MAX_BYTES = HEAD_BYTES + 64 * 256 + 1024;

    // Up to this version, if UCX cannot attach the shared memory of a key, it releases memory that it has not attached.
    private static final int FIXED_MINOR = 19;

    // uct_posix_packed_rkey_t: {uint64_t seg_id; uintptr_t address; size_t length;}, followed by the process's
    // namespace, if that is not the first one, as in a container, or by the folder of the file.
    private static final int POSIX_BYTES = 24;
    private static final long POSIX_FILE_OF_PROCESS = 1L << 63;
    private static final long POSIX_SHM_OPEN = 1L << 62;
    private static final long POSIX_ID = (1L << 60) - 1;
    private static final int POSIX_PID_BITS = 30;

    // uct_sysv_packed_rkey_t: {uint32_t shmid; uintptr_t owner_ptr;}, packed
    private static final int SYSV_BYTES = 12;

    private PackedKeyFormat() {}

    /**
     * Checks that a key is well-formed.
     *
     * @throws IllegalArgumentException if C would read beyond its end
     */
    static void check(byte[] rkey) {
        if (!isWellFormed(rkey)) {
            throw new IllegalArgumentException("these " + rkey.length + " bytes are not a key of ucp_rkey_pack");
        }
    }

    private static boolean isWellFormed(byte[] rkey) {
        if (rkey.length < HEAD_BYTES || rkey.length > MAX_BYTES) {
            return false;
        }
        int at = HEAD_BYTES;
        for (int domains = Long.bitCount(wrap(rkey).getLong()); domains > 0; domains--) {
            if (at >= rkey.length) {
                return false;
            }
            at += 1 + Byte.toUnsignedInt(rkey[at]);
        }
        return at <= rkey.length;
    }

    /**
     * Checks that the loaded UCX knows the memory type, which it uses as an index.
     *
     * @throws IllegalArgumentException if it does not
     */
    static void checkMemoryType(byte[] rkey) {
        int type = Byte.toUnsignedInt(rkey[Long.BYTES]);
        if (type >= UcpMemoryType.known(UcxLibrary.load()[1])) {
            throw new IllegalArgumentException(
                    "the key is of memory of a type that the loaded UCX does not know: " + type);
        }
    }

    /** Whether a program could read and write the memory, if it were mapped. */
    static boolean isOfHostMemory(byte[] rkey) {
        return UcpMemoryType.of(Byte.toUnsignedInt(rkey[Long.BYTES]))
                .map(UcpMemoryType::isHost)
                .orElse(false);
    }

    /**
     * Whether a key's shared memory has gone, for instance with its owner, and the loaded UCX would not survive an
     * attempt to attach it.
     */
    static boolean isGone(UcpPackedKey key) {
        if (UcxLibrary.load()[1] >= FIXED_MINOR) {
            return false;
        }
        ByteBuffer bytes = wrap(key.bytes());
        int domains = Long.bitCount(bytes.getLong());
        bytes.get();
        boolean gone = false;
        for (int i = 0; i < domains; i++) {
            int length = Byte.toUnsignedInt(bytes.get());
            gone |= isGone(bytes.slice(bytes.position(), length).order(ByteOrder.nativeOrder()), key);
            bytes.position(bytes.position() + length);
        }
        return gone;
    }

    // An entry does not name its transport, but each of the two says where its memory is.
    private static boolean isGone(ByteBuffer entry, UcpPackedKey key) {
        if (entry.remaining() >= POSIX_BYTES) {
            long id = entry.getLong();
            long begin = entry.getLong();
            return contains(begin, entry.getLong(), key) && !posixExists(id);
        }
        if (entry.remaining() == SYSV_BYTES) {
            int id = entry.getInt();
            return entry.getLong() == key.address() && !sysvExists(id);
        }
        return false;
    }

    private static boolean contains(long begin, long length, UcpPackedKey key) {
        return begin <= key.address() && key.address() + key.byteSize() <= begin + length;
    }

    private static boolean posixExists(long id) {
        long number = id & POSIX_ID;
        if ((id & POSIX_FILE_OF_PROCESS) != 0) {
            long pid = number & ((1L << POSIX_PID_BITS) - 1);
            return Files.isReadable(
                    Path.of("/proc", Long.toString(pid), "fd", Long.toString(number >>> POSIX_PID_BITS)));
        }
        return (id & POSIX_SHM_OPEN) == 0
                || Files.isReadable(Path.of("/dev/shm", "ucx_shm_posix_" + Long.toHexString(number)));
    }

    private static boolean sysvExists(int id) {
        String column = Integer.toString(id);
        try (Stream<String> segments = Files.lines(Path.of("/proc/sysvipc/shm"))) {
            return segments.map(line -> line.strip().split("\\s+"))
                    .anyMatch(fields -> fields.length > 1 && fields[1].equals(column));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ByteBuffer wrap(byte[] rkey) {
        return ByteBuffer.wrap(rkey).order(ByteOrder.nativeOrder());
    }
}
