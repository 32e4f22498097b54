// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;

/** Creates the exceptions of this package: which call, on what object, why, and what usually helps. */
final class UcxFailure {

    private static final long LOWEST_ERROR = -100; // UCS_ERR_LAST

    private UcxFailure() {}

    /** {@code UCS_PTR_IS_ERR}: whether what a call returned is an error rather than a request. */
    static boolean isError(long statusPointer) {
        return statusPointer < 0 && statusPointer >= LOWEST_ERROR;
    }

    /** Throws for anything but {@code UCS_OK}. */
    static void check(int status, String call, Object object) {
        if (status != 0) {
            throw of(status, call, object.toString());
        }
    }

    static UcxException of(int status, String call, String arguments) {
        return new UcxException(call, arguments, status, UcsStatus.describe(status), help(status, call));
    }

    private static String help(int status, String call) {
        boolean endpoint = call.equals("ucp_ep_create");
        return switch (UcsStatus.of(status)) {
            case UNREACHABLE ->
                endpoint
                        ? "no transport that both workers have reaches the peer; check TLS and NET_DEVICES on both"
                                + " sides. Shared memory has error handling PEER only when the environment says"
                                + " UCX_POSIX_ERROR_HANDLING=y or UCX_SYSV_ERROR_HANDLING=y"
                        : "the peer is gone or cannot be reached";
            case NO_DEVICE ->
                call.equals("ucp_listener_create")
                        ? "no device that UCX may use has this address: check TLS and NET_DEVICES"
                        : "no device fits the options TLS and NET_DEVICES; ucx_info -d lists what this machine has";
            case BUSY -> call.equals("ucp_listener_create") ? "the port is in use" : "";
            case INVALID_ADDR -> "these are not the bytes of a worker's address()";
            case NO_MEMORY -> "check ulimit -l and the size of /dev/shm";
            case SHMEM_SEGMENT -> "check the size of /dev/shm and kernel.shmmax";
            case UNSUPPORTED -> endpoint ? "no transport has all that the endpoint asks for; check TLS" : "";
            case IO_ERROR ->
                call.equals("ucp_listener_create")
                        ? "UCX cannot listen there: the address must be one of this machine's (ip address lists them)"
                        : "the network or a device failed, or the peer has died";
            case NOT_CONNECTED ->
                "there is no connection, or no longer: does a listener listen at the address? Close the endpoint and"
                        + " make a new one";
            case REJECTED -> "the program that listens there rejected the connection";
            case CONNECTION_RESET, ENDPOINT_TIMEOUT -> "the peer is gone; close the endpoint and make a new one";
            default -> "";
        };
    }
}
