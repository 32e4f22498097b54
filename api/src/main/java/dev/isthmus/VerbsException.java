// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import dev.isthmus.internal.Errno;

/** A call into libibverbs failed. The message names the call, its object and arguments, the error, and what helps. */
public final class VerbsException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String call;
    private final int errno;

    /**
     * Used by Isthmus itself.
     *
     * @param call the C function that failed
     * @param arguments the object it was called on and the arguments that matter
     * @param errno the error number, positive
     * @param help what usually helps, or an empty string
     */
    public VerbsException(String call, String arguments, int errno, String help) {
        this(call, arguments, errno, Errno.describe(errno), help);
    }

    private VerbsException(String call, String arguments, int errno, String error, String help) {
        super(call + "(" + arguments + "): " + error + (help.isEmpty() ? "" : ": " + help), null);
        this.call = call;
        this.errno = errno;
    }

    /**
     * Used by Isthmus itself, for a call whose result says that it failed, but not why.
     *
     * @param call the C function that failed
     * @param arguments the object it was called on and the arguments that matter
     * @param result what it returned
     * @param help what that result means
     * @return an exception whose {@link #errno()} is 0
     */
    public static VerbsException ofResult(String call, String arguments, int result, String help) {
        return new VerbsException(call, arguments, 0, "returned " + result, help);
    }

    /**
     * The C function that failed.
     *
     * @return its name, such as {@code ibv_create_qp}
     */
    public String call() {
        return call;
    }

    /**
     * The error number that it reported.
     *
     * @return a positive {@code errno} value, as in errno(3); 0 when the call gave none
     */
    public int errno() {
        return errno;
    }

    /**
     * The symbolic name of {@link #errno()}.
     *
     * @return a name such as {@code ENOMEM}, or {@code errno 4711} for a number that Isthmus does not know
     */
    public String errnoName() {
        return Errno.name(errno);
    }
}
