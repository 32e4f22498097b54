// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The shared object that contains a function: {@code dladdr(3)}.
 *
 * @param file the name by which it was loaded
 * @param base the address at which it is loaded, which no other one has
 */
public record SharedObject(String file, long base) {

    private static final NativeFunction DLADDR = Libc.function("dladdr", JAVA_INT, ADDRESS, ADDRESS);

    /** {@code Dl_info} of dlfcn.h. */
    private static final MemoryLayout DL_INFO = MemoryLayout.structLayout(
            ADDRESS.withName("dli_fname"),
            ADDRESS.withName("dli_fbase"),
            ADDRESS.withName("dli_sname"),
            ADDRESS.withName("dli_saddr"));

    /** The shared object of a function; empty for code that is in none. */
    public static Optional<SharedObject> of(MemorySegment function) {
        try (var call = new NativeCall()) {
            MemorySegment info = call.allocate(DL_INFO);
            if (call.integer(DLADDR, function, info) == 0) {
                return Optional.empty();
            }
            return Optional.of(new SharedObject(
                    NativeCall.string(info.get(ADDRESS, 0)),
                    info.get(ADDRESS, ADDRESS.byteSize()).address()));
        }
    }
}
