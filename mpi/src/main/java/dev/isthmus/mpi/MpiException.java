// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

/**
 * A call into MPI failed. The message names the call, its object, the error class, what the implementation says, and what
 * usually helps. All objects have the error handler {@code MPI_ERRORS_RETURN}, so no error ends the process by itself.
 */
public final class MpiException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String call;
    private final int code;
    private final ErrorClass errorClass;

    MpiException(String call, Object object, int code, ErrorClass errorClass, int number, String text) {
        super(call + "(" + object + "): "
                + (errorClass == ErrorClass.UNKNOWN_CLASS ? "error class " + number : "MPI_ERR_" + errorClass) + " ("
                + code
                + "): " + text + (errorClass.help().isEmpty() ? "" : ": " + errorClass.help()));
        this.call = call;
        this.code = code;
        this.errorClass = errorClass;
    }

    /**
     * The C function that failed.
     *
     * @return its name, such as {@code MPI_Send_c}
     */
    public String call() {
        return call;
    }

    /**
     * The error code.
     *
     * @return what the function returned
     */
    public int code() {
        return code;
    }

    /**
     * The error's class: {@code MPI_Error_class}.
     *
     * @return the class; {@link ErrorClass#UNKNOWN_CLASS} if it is not one of the standard
     */
    public ErrorClass errorClass() {
        return errorClass;
    }
}
