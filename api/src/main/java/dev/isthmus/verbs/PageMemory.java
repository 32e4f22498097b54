// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Memory that begins at a page, which suits devices best. It comes from the kernel ({@code mmap}), zeroed, and shares
 * its pages with nothing else. An arena owns it like any other memory.
 */
public enum PageMemory {

    /** Pages of the usual size. */
    PAGES,

    /**
     * Aligned to huge pages, with a request to the kernel to use them ({@code MADV_HUGEPAGE}), which it does as far as
     * it has some. Nothing needs to be set aside, but the program does not learn which pages it got.
     */
    TRANSPARENT_HUGE_PAGES,

    /**
     * Huge pages that the administrator has set aside ({@code MAP_HUGETLB}): {@code sysctl vm.nr_hugepages=N}. For
     * regions with {@link AccessFlag#HUGETLB}, and for long ones: the device translates fewer addresses.
     */
    HUGE_PAGES;

    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final int MAP_HUGETLB = 0x4_0000;
    private static final int MADV_HUGEPAGE = 14;
    private static final long MAP_FAILED = -1;

    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final Pattern HUGE_PAGE_SIZE = Pattern.compile("Hugepagesize: +([0-9]+) kB");
    private static final Pattern FREE_HUGE_PAGES = Pattern.compile("HugePages_Free: +([0-9]+)");

    /**
     * The size of a page, and so the alignment of the memory.
     *
     * @return bytes: a power of two
     */
    public long pageBytes() {
        return this == PAGES ? Libc.pageSize() : meminfo(HUGE_PAGE_SIZE) << 10;
    }

    /**
     * Allocates memory. The kernel provides pages when they are first touched or registered, but huge pages at once.
     *
     * @param arena owns it; close a region of it before the arena
     * @param bytes how much; rounded up to whole pages
     * @return the memory, of the requested length
     * @throws IllegalArgumentException if {@code bytes} is not positive
     * @throws IllegalStateException if the arena is closed
     * @throws WrongThreadException if the arena belongs to another thread
     * @throws RdmaUnavailableException if there are too few huge pages; the message says what to set
     * @throws OutOfMemoryError if there is too little memory
     */
    public MemorySegment allocate(Arena arena, long bytes) {
        long page = pageBytes();
        if (bytes <= 0 || bytes > Long.MAX_VALUE - 2 * page) {
            throw new IllegalArgumentException("cannot allocate " + bytes + " bytes");
        }
        Objects.requireNonNull(arena, "arena");
        long room = (bytes + page - 1) & -page;
        long mapped = this == TRANSPARENT_HUGE_PAGES ? room + page : room;
        MemorySegment base = map(mapped);
        boolean owned = false;
        try {
            long begin = (base.address() + page - 1) & -page;
            if (this == TRANSPARENT_HUGE_PAGES) {
                advise(MemorySegment.ofAddress(begin), room);
            }
            MemorySegment memory = owned(MemorySegment.ofAddress(begin), bytes, arena, base, mapped);
            owned = true;
            return memory;
        } finally {
            if (!owned) {
                unmap(base, mapped);
            }
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment owned(MemorySegment begin, long bytes, Arena arena, MemorySegment base, long mapped) {
        return begin.reinterpret(bytes, arena, nothing -> unmap(base, mapped));
    }

    private MemorySegment map(long bytes) {
        int flags = MAP_PRIVATE_ANONYMOUS | (this == HUGE_PAGES ? MAP_HUGETLB : 0);
        try (var call = new NativeCall()) {
            MemorySegment base = call.pointer(Libc.MMAP, MemorySegment.NULL, bytes, PROT_READ_WRITE, flags, -1, 0L);
            if (base.address() != MAP_FAILED) {
                return base;
            }
            String error = "mmap(" + bytes + " bytes, " + this + "): " + Errno.describe(call.errno());
            if (this == HUGE_PAGES) {
                long page = pageBytes();
                throw new RdmaUnavailableException(String.format(
                        Locale.ROOT,
                        "%s: it takes %d huge pages of %d KiB, and %d are free: sysctl vm.nr_hugepages=N sets some aside",
                        error,
                        bytes / page,
                        page >> 10,
                        meminfo(FREE_HUGE_PAGES)));
            }
            throw new OutOfMemoryError(error);
        }
    }

    // A failure is ignored: the kernel need not support transparent huge pages.
    private static void advise(MemorySegment begin, long bytes) {
        try (var call = new NativeCall()) {
            call.integer(Libc.MADVISE, begin, bytes, MADV_HUGEPAGE);
        }
    }

    private static void unmap(MemorySegment base, long bytes) {
        try (var call = new NativeCall()) {
            call.integer(Libc.MUNMAP, base, bytes);
        }
    }

    private static long meminfo(Pattern entry) {
        try {
            Matcher matcher = entry.matcher(Files.readString(MEMINFO));
            if (!matcher.find()) {
                throw new RdmaUnavailableException("this kernel has no huge pages: " + MEMINFO + " names none");
            }
            return Long.parseLong(matcher.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
