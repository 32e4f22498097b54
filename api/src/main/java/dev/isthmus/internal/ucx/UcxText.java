// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The output of a UCX function that prints to a {@code FILE *}, as a string. */
public final class UcxText {

    private static final NativeFunction OPEN_MEMSTREAM = Libc.function("open_memstream", ADDRESS, ADDRESS, ADDRESS);
    private static final NativeFunction FCLOSE = Libc.function("fclose", JAVA_INT, ADDRESS);
    private static final NativeFunction FREE = Libc.procedure("free", ADDRESS);

    private UcxText() {}

    /**
     * Runs a call that prints.
     *
     * @param print gets the {@code FILE *} to print to
     */
    public static String of(Consumer<MemorySegment> print) {
        try (var call = new NativeCall()) {
            MemorySegment text = call.allocate(ADDRESS);
            MemorySegment size = call.allocate(JAVA_LONG);
            MemorySegment stream = call.pointer(OPEN_MEMSTREAM, text, size);
            if (stream.address() == 0) {
                throw new OutOfMemoryError("open_memstream");
            }
            try {
                print.accept(stream);
            } finally {
                call.integer(FCLOSE, stream);
            }
            MemorySegment buffer = text.get(ADDRESS, 0);
            byte[] bytes = NativeCall.sized(buffer, size.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
            call.nothing(FREE, buffer);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
