// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The kernel's network interfaces. {@code java.net.NetworkInterface} does not see those without an IP address. */
public final class NetworkInterfaces {

    /** {@code IF_NAMESIZE} of net/if.h. */
    private static final int NAME_SIZE = 16;

    /** {@code char *if_indextoname(unsigned, char *)}: NULL if there is none. */
    private static final NativeFunction INDEX_TO_NAME = new NativeFunction(
            "if_indextoname",
            Linker.nativeLinker().defaultLookup().find("if_indextoname").orElseThrow(),
            FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS));

    private NetworkInterfaces() {}

    /** The name of the interface with an index; empty if it is gone. */
    public static Optional<String> name(int index) {
        try (var call = new NativeCall()) {
            MemorySegment name = call.allocate(NAME_SIZE, 1);
            return call.pointer(INDEX_TO_NAME, index, name).address() == 0
                    ? Optional.empty()
                    : Optional.of(name.getString(0));
        }
    }
}
