// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeCall;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * Addresses at which nothing else is mapped. UCX allocates at a fixed address by replacing whatever is there, even the
 * JVM's heap. So this makes sure that it replaces only this reservation.
 *
 * @param begin the first address
 * @param bytes how many
 */
record AddressReservation(long begin, long bytes) {

    private static final int PROT_NONE = 0;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
    private static final int MAP_FIXED_NOREPLACE = 0x100000;
    private static final long MAP_FAILED = -1;

    // UCX rounds up to huge pages if it can get them, unless that doubles the size.
    private static final long HUGE_PAGE = 1 << 21;

    /**
     * Reserves as many addresses as UCX may need for that many bytes.
     *
     * @throws IllegalArgumentException if the address is not available
     */
    static AddressReservation reserve(long address, long bytes) {
        if (address < 0 || (address & (Libc.pageSize() - 1)) != 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "the address 0x%x is not that of a page", address));
        }
        long reserved = 2 * ((bytes + HUGE_PAGE - 1) & -HUGE_PAGE);
        int flags = MAP_PRIVATE_ANONYMOUS_NORESERVE | MAP_FIXED_NOREPLACE;
        try (var call = new NativeCall()) {
            MemorySegment base =
                    call.pointer(Libc.MMAP, MemorySegment.ofAddress(address), reserved, PROT_NONE, flags, -1, 0L);
            if (base.address() == MAP_FAILED) {
                throw refused(address, bytes, Errno.describe(call.errno()));
            }
            if (base.address() != address) { // Linux before 4.17 does not know the flag
                unmap(base.address(), reserved);
                throw refused(address, bytes, "it is taken");
            }
            return new AddressReservation(address, reserved);
        }
    }

    /** Unmaps the part after an address. */
    void releaseFrom(long address) {
        long page = Libc.pageSize();
        long end = (address + page - 1) & -page;
        if (end < begin + bytes) {
            unmap(end, begin + bytes - end);
        }
    }

    private static void unmap(long address, long bytes) {
        try (var call = new NativeCall()) {
            call.integer(Libc.MUNMAP, MemorySegment.ofAddress(address), bytes);
        }
    }

    private static IllegalArgumentException refused(long address, long bytes, String why) {
        return new IllegalArgumentException(String.format(
                Locale.ROOT, "cannot have %d bytes and room at the address 0x%x: %s", bytes, address, why));
    }
}
