// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.ucx.UcxText;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A call of UCX off the data path: the memory of its arguments, and the two ways in which UCX reports a failure, by a
 * status or by a pointer that may be a status. Each becomes a {@link UcxException} that names the function.
 */
final class UcpCall extends NativeCall {

    /** Begins a call on an object of this thread's worker, or on one that is being created or closed. */
    UcpCall() {
        super();
    }

    /**
     * Begins a call on an object that another thread might close meanwhile.
     *
     * @throws IllegalStateException if the object is closed
     */
    UcpCall(Lifetime lifetime) {
        super(lifetime);
    }

    /**
     * Calls a function that returns a {@code ucs_status_t}, and throws for anything but {@code UCS_OK}.
     *
     * @param object its object, and the arguments that matter, for the message
     */
    void check(NativeFunction f, Object object, Object... arguments) {
        UcxFailure.check(integer8(f, arguments), f.name(), object);
    }

    /**
     * Calls a function that stores the handle of what it creates at its last argument.
     *
     * @param object its object, and the arguments that matter, for the message
     * @return the handle
     */
    long create(NativeFunction f, Object object, Object... arguments) {
        MemorySegment out = allocate(ValueLayout.JAVA_LONG);
        Object[] all = new Object[arguments.length + 1];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = out;
        check(f, object, all);
        return out.get(ValueLayout.JAVA_LONG, 0);
    }

    /** Calls a function that returns nothing, on an object that is known to be open. */
    static void run(NativeFunction f, Object... arguments) {
        try (var call = new UcpCall()) {
            call.nothing(f, arguments);
        }
    }

    /** The output of a function that takes a handle and a {@code FILE *}. */
    String print(NativeFunction f, long handle) {
        return UcxText.of(stream -> nothing(f, handle, stream));
    }

    /** The text of a {@code char} array in a structure. */
    static String name(MemorySegment array) {
        return array.getString(0);
    }
}
