// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import dev.isthmus.internal.Errno;

/**
 * Connection management failed: a call into librdmacm, or an event of it that reports a failure. The message names the
 * call or event, its object and arguments, the error, and what helps.
 */
public final class CmException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /** What failed, for programs that react to it. */
    public enum Failure {
        /** Another socket or program listens on this address and port already. */
        ADDRESS_IN_USE,
        /** No RDMA device has this address, or none is on the route to it. */
        NO_DEVICE,
        /** The address could not be resolved, there is no route, or nobody answered. */
        UNREACHABLE,
        /** The peer rejected, or nobody listens there. {@link CmException#status} is its reason. */
        REJECTED,
        /** The program's time limit is over. */
        TIMED_OUT,
        /** The device is gone. */
        DEVICE_REMOVED,
        /** The peer has disconnected, or its process has ended. */
        DISCONNECTED,
        /** Something else, which {@link CmException#errno} or the message names. */
        OTHER
    }

    private final Failure failure;
    private final String call;
    private final int errno;
    private final int status;
    private final byte[] privateData;

    /**
     * Used by Isthmus itself.
     *
     * @param failure what kind it is
     * @param call the C function that failed, or the C name of the event
     * @param arguments the object it was about and the arguments that matter
     * @param errno the error number, positive; 0 if there is none
     * @param status the event's status; 0 if there was no event
     * @param error the error in words, with its symbolic name and number
     * @param help what usually helps, or an empty string
     * @param privateData what the peer sent with it, or null
     */
    public CmException(
            Failure failure,
            String call,
            String arguments,
            int errno,
            int status,
            String error,
            String help,
            byte[] privateData) {
        super(call + "(" + arguments + "): " + error + (help.isEmpty() ? "" : ": " + help), null);
        this.failure = failure;
        this.call = call;
        this.errno = errno;
        this.status = status;
        this.privateData = privateData == null ? new byte[0] : privateData.clone();
    }

    /**
     * What kind of failure it is.
     *
     * @return the kind, {@link Failure#OTHER} when it has no name
     */
    public Failure failure() {
        return failure;
    }

    /**
     * The C function that failed, or the event that reported the failure.
     *
     * @return a name such as {@code rdma_bind_addr} or {@code RDMA_CM_EVENT_REJECTED}
     */
    public String call() {
        return call;
    }

    /**
     * The error number.
     *
     * @return a positive {@code errno} value, as in errno(3); 0 if there was none
     */
    public int errno() {
        return errno;
    }

    /**
     * The symbolic name of {@link #errno()}.
     *
     * @return a name such as {@code EADDRINUSE}, or {@code errno 4711} for a number that Isthmus does not know
     */
    public String errnoName() {
        return Errno.name(errno);
    }

    /**
     * The status of the event.
     *
     * @return the status as reported: the peer's reason if it rejected, otherwise mostly a negative errno; 0 if there
     *     was no event
     */
    public int status() {
        return status;
    }

    /**
     * What the peer sent with its rejection. Do not trust it: the bytes come from the peer.
     *
     * @return a copy of the bytes; empty when there are none
     */
    public byte[] privateData() {
        return privateData.clone();
    }
}
