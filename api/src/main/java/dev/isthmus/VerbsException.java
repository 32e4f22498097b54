package dev.isthmus;

import dev.isthmus.internal.Errno;

/** A call into libibverbs failed. The message names the call, its object and arguments, the error, and what helps. */
public final class VerbsException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String call;
    private final int errno;

    /**
     * Made by the library.
     *
     * @param call the C function that failed
     * @param arguments the object it was called on and the arguments that matter
     * @param errno the error number, positive
     * @param help what usually helps, or an empty string
     */
    public VerbsException(String call, String arguments, int errno, String help) {
        super(call + "(" + arguments + "): " + Errno.describe(errno) + (help.isEmpty() ? "" : ": " + help), null);
        this.call = call;
        this.errno = errno;
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
     * @return a positive {@code errno} value, as in errno(3)
     */
    public int errno() {
        return errno;
    }

    /**
     * The symbolic name of {@link #errno()}.
     *
     * @return a name such as {@code ENOMEM}, or {@code errno 4711} for one this library does not know
     */
    public String errnoName() {
        return Errno.name(errno);
    }
}
