// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;

/** Functions of the C library without a counterpart in Java. Each constant returns -1 and sets errno when it fails. */
public final class Libc {

    public static final NativeFunction MMAP =
            of("mmap", ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    public static final NativeFunction MUNMAP = of("munmap", JAVA_INT, ADDRESS, JAVA_LONG);
    public static final NativeFunction MADVISE = of("madvise", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    public static final NativeFunction DUP = of("dup", JAVA_INT, JAVA_INT);

    /** open(2), which has a third parameter only with O_CREAT; without it the call is like a plain function's. */
    public static final NativeFunction OPEN = of("open", JAVA_INT, ADDRESS, JAVA_INT);

    public static final NativeFunction CLOSE = of("close", JAVA_INT, JAVA_INT);

    private static final NativeFunction GETPAGESIZE = of("getpagesize", JAVA_INT);

    private Libc() {}

    private static NativeFunction of(String name, MemoryLayout result, MemoryLayout... arguments) {
        return function(name, result, arguments);
    }

    /** A function that only one class uses. */
    public static NativeFunction function(String name, MemoryLayout result, MemoryLayout... arguments) {
        return link(name, FunctionDescriptor.of(result, arguments));
    }

    /** A function without a result that only one class uses. */
    public static NativeFunction procedure(String name, MemoryLayout... arguments) {
        return link(name, FunctionDescriptor.ofVoid(arguments));
    }

    private static NativeFunction link(String name, FunctionDescriptor descriptor) {
        return new NativeFunction(
                name, () -> Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), descriptor);
    }

    /** The size of a page of memory, in bytes: a power of two. */
    public static long pageSize() {
        return PageSize.BYTES;
    }

    private static final class PageSize {
        static final long BYTES = ask();

        private PageSize() {}

        private static long ask() {
            try (var call = new NativeCall()) {
                return call.integer(GETPAGESIZE);
            }
        }
    }
}
