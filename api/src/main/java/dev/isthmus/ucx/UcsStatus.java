// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.util.Arrays;

/**
 * How an operation ended: {@code ucs_status_t} of ucs/type/status.h.
 *
 * <p>The project's page {@code docs/errors.md} says what usually causes each. A number that Isthmus does not know is
 * {@link #UNKNOWN}; wherever there is a status, its number is there, too.
 */
public enum UcsStatus {
    /** {@code UCS_OK}: completed. */
    OK("UCS_OK", 0),
    /** {@code UCS_INPROGRESS}: not completed yet. */
    IN_PROGRESS("UCS_INPROGRESS", 1),
    /** {@code UCS_ERR_NO_MESSAGE}: no message waits. */
    NO_MESSAGE("UCS_ERR_NO_MESSAGE", -1),
    /** {@code UCS_ERR_NO_RESOURCE}: no resources at the moment. */
    NO_RESOURCE("UCS_ERR_NO_RESOURCE", -2),
    /** {@code UCS_ERR_IO_ERROR}: input or output failed. */
    IO_ERROR("UCS_ERR_IO_ERROR", -3),
    /** {@code UCS_ERR_NO_MEMORY}: out of memory, or of locked memory. */
    NO_MEMORY("UCS_ERR_NO_MEMORY", -4),
    /** {@code UCS_ERR_INVALID_PARAM}: a wrong argument. */
    INVALID_PARAM("UCS_ERR_INVALID_PARAM", -5),
    /** {@code UCS_ERR_UNREACHABLE}: no transport reaches the destination. */
    UNREACHABLE("UCS_ERR_UNREACHABLE", -6),
    /** {@code UCS_ERR_INVALID_ADDR}: not an address. */
    INVALID_ADDR("UCS_ERR_INVALID_ADDR", -7),
    /** {@code UCS_ERR_NOT_IMPLEMENTED}: not implemented. */
    NOT_IMPLEMENTED("UCS_ERR_NOT_IMPLEMENTED", -8),
    /** {@code UCS_ERR_MESSAGE_TRUNCATED}: the message is longer than the receive buffer. */
    MESSAGE_TRUNCATED("UCS_ERR_MESSAGE_TRUNCATED", -9),
    /** {@code UCS_ERR_NO_PROGRESS}: nothing was progressed. */
    NO_PROGRESS("UCS_ERR_NO_PROGRESS", -10),
    /** {@code UCS_ERR_BUFFER_TOO_SMALL}: the buffer does not hold the result. */
    BUFFER_TOO_SMALL("UCS_ERR_BUFFER_TOO_SMALL", -11),
    /** {@code UCS_ERR_NO_ELEM}: no such element. */
    NO_ELEM("UCS_ERR_NO_ELEM", -12),
    /** {@code UCS_ERR_SOME_CONNECTS_FAILED}: some connections failed. */
    SOME_CONNECTS_FAILED("UCS_ERR_SOME_CONNECTS_FAILED", -13),
    /** {@code UCS_ERR_NO_DEVICE}: no such device, or none with an allowed transport. */
    NO_DEVICE("UCS_ERR_NO_DEVICE", -14),
    /** {@code UCS_ERR_BUSY}: in use. */
    BUSY("UCS_ERR_BUSY", -15),
    /** {@code UCS_ERR_CANCELED}: cancelled, by the caller or because its endpoint was closed by force. */
    CANCELED("UCS_ERR_CANCELED", -16),
    /** {@code UCS_ERR_SHMEM_SEGMENT}: a shared memory segment cannot be created or attached. */
    SHMEM_SEGMENT("UCS_ERR_SHMEM_SEGMENT", -17),
    /** {@code UCS_ERR_ALREADY_EXISTS}: exists already. */
    ALREADY_EXISTS("UCS_ERR_ALREADY_EXISTS", -18),
    /** {@code UCS_ERR_OUT_OF_RANGE}: out of range. */
    OUT_OF_RANGE("UCS_ERR_OUT_OF_RANGE", -19),
    /** {@code UCS_ERR_TIMED_OUT}: timed out. */
    TIMED_OUT("UCS_ERR_TIMED_OUT", -20),
    /** {@code UCS_ERR_EXCEEDS_LIMIT}: a limit is exceeded. */
    EXCEEDS_LIMIT("UCS_ERR_EXCEEDS_LIMIT", -21),
    /** {@code UCS_ERR_UNSUPPORTED}: not supported by the transport or the device. */
    UNSUPPORTED("UCS_ERR_UNSUPPORTED", -22),
    /** {@code UCS_ERR_REJECTED}: the listener rejected the connection, or was closed. */
    REJECTED("UCS_ERR_REJECTED", -23),
    /** {@code UCS_ERR_NOT_CONNECTED}: nothing listens at the address, or the connection has ended. */
    NOT_CONNECTED("UCS_ERR_NOT_CONNECTED", -24),
    /** {@code UCS_ERR_CONNECTION_RESET}: the peer closed the connection, or died. */
    CONNECTION_RESET("UCS_ERR_CONNECTION_RESET", -25),
    /** {@code UCS_ERR_ENDPOINT_TIMEOUT}: the peer did not answer in time. */
    ENDPOINT_TIMEOUT("UCS_ERR_ENDPOINT_TIMEOUT", -80),
    /** A status that Isthmus does not know; its number says more. */
    UNKNOWN("unknown status", Integer.MIN_VALUE);

    private static final int LOWEST = -100; // UCS_ERR_LAST
    private static final UcsStatus[] BY_CODE = new UcsStatus[2 - LOWEST];

    static {
        Arrays.fill(BY_CODE, UNKNOWN);
        for (UcsStatus status : values()) {
            if (status != UNKNOWN) {
                BY_CODE[status.code - LOWEST] = status;
            }
        }
    }

    private final String symbol;
    private final int code;

    UcsStatus(String symbol, int code) {
        this.symbol = symbol;
        this.code = code;
    }

    /**
     * The constant of a number.
     *
     * @param code a {@code ucs_status_t}: 0 done, 1 in progress, negative an error
     * @return the constant, or {@link #UNKNOWN}
     */
    public static UcsStatus of(int code) {
        int index = code - LOWEST;
        return index >= 0 && index < BY_CODE.length ? BY_CODE[index] : UNKNOWN;
    }

    /**
     * Whether this is an error: neither {@link #OK} nor {@link #IN_PROGRESS}.
     *
     * @return whether the operation ended without success
     */
    public boolean isError() {
        return code < 0;
    }

    /** The C constant with its number, as in messages: {@code UCS_ERR_UNREACHABLE (-6)}. */
    static String describe(int code) {
        return of(code).symbol + " (" + code + ")";
    }

    /** The {@code ucs_status_t}; meaningless for {@link #UNKNOWN}. */
    int code() {
        return code;
    }
}
