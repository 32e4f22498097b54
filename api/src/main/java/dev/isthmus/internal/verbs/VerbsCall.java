// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;

/**
 * A call of verbs off the data path. Verbs report a failure in three ways: by a null pointer and errno, by the error
 * number itself, or by -1 and errno. Each becomes a {@link VerbsException} that names the function.
 */
public final class VerbsCall extends NativeCall {

    private IntFunction<String> help = errno -> "";

    /**
     * Begins a call on an object.
     *
     * @throws IllegalStateException if the object is closed
     */
    public VerbsCall(Lifetime lifetime) {
        super(lifetime);
    }

    /** Begins a call on no object, or on one that is being created or closed. */
    public VerbsCall() {
        super();
    }

    /**
     * Sets an explanation for failures.
     *
     * @param explanation returns what usually helps with an errno; empty for the general help
     */
    public VerbsCall explain(IntFunction<String> explanation) {
        help = explanation;
        return this;
    }

    /**
     * Calls a function that creates an object, and returns NULL and sets errno if it fails.
     *
     * @param what its object and the arguments that matter, for the message
     */
    public MemorySegment create(NativeFunction f, String what, Object... arguments) {
        MemorySegment made = pointer(f, arguments);
        if (made.address() == 0) {
            throw failure(f, what, errno());
        }
        return made;
    }

    /**
     * Calls a function that returns 0, or an error number of either sign.
     *
     * @param what its object and the arguments that matter, for the message
     */
    public void check(NativeFunction f, String what, Object... arguments) {
        int errno = integer(f, arguments);
        if (errno != 0) {
            throw failure(f, what, Math.abs(errno));
        }
    }

    /**
     * Calls a function that returns -1 and sets errno if it fails.
     *
     * @param what its object and the arguments that matter, for the message
     * @return the function's result
     */
    public int checkErrno(NativeFunction f, String what, Object... arguments) {
        int result = integer(f, arguments);
        if (result == -1) {
            throw failure(f, what, errno());
        }
        return result;
    }

    /** The exception for an errno of a function. */
    public VerbsException failure(NativeFunction f, String what, int errno) {
        return VerbsErrors.failure(f.name(), what, errno, help.apply(errno));
    }

    /** Calls a function that destroys an object and returns 0 or an error number, as most closes do. */
    public static void destroy(NativeFunction f, MemorySegment handle, String what) {
        try (var call = new VerbsCall()) {
            call.check(f, what, handle);
        }
    }
}
