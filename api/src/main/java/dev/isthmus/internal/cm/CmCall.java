// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.cm;

import dev.isthmus.CmException;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.util.function.IntFunction;

/** A call of librdmacm, whose -1 and errno become a {@link CmException} that names the function. */
public final class CmCall extends NativeCall {

    private IntFunction<String> help = errno -> "";

    /**
     * Begins a call on an object.
     *
     * @throws IllegalStateException if the object is closed
     */
    public CmCall(Lifetime lifetime) {
        super(lifetime);
    }

    /** Begins a call on no object, or on one that is being created or closed. */
    public CmCall() {
        super();
    }

    /**
     * Sets an explanation for failures.
     *
     * @param explanation returns what usually helps with an errno; empty for the general help
     */
    public CmCall explain(IntFunction<String> explanation) {
        help = explanation;
        return this;
    }

    /**
     * Calls a function that returns -1 and sets errno when it fails.
     *
     * @param what its object and the arguments that matter, for the message
     */
    public void check(NativeFunction f, String what, Object... arguments) {
        if (integer(f, arguments) != 0) {
            throw failure(f, what, errno());
        }
    }

    /** The exception for an errno of a function. */
    public CmException failure(NativeFunction f, String what, int errno) {
        String words = help.apply(errno);
        return CmErrors.ofCall(f.name(), what, errno, words);
    }
}
