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

    /** The failure of an operation because of what the program's packer or unpacker has thrown. */
    static UcxException ofProgram(String call, String arguments) {
        int status = UcsStatus.IO_ERROR.code();
        String help = "the program's packer or unpacker has thrown an exception, which progress() throws";
        return new UcxException(call, arguments, status, UcsStatus.describe(status), help);
    }

    /** What usually helps; docs/errors.md says the same at more length. */
    static String help(int status, String call) {
        UcsStatus reason = UcsStatus.of(status);
        return switch (call) {
            case "ucp_listener_create" -> helpListener(reason);
            case "ucp_ep_create" -> helpEndpoint(reason);
            case "ucp_mem_map" -> helpMemory(reason);
            case "ucp_init" -> helpContext(reason);
            default -> help(reason);
        };
    }

    private static String helpListener(UcsStatus reason) {
        return switch (reason) {
            case BUSY -> "the port is in use";
            case IO_ERROR ->
                "the address must be one of this machine's (ip address), and a port below 1024 may need a privilege";
            case NO_DEVICE -> "no device that UCX may use has this address: check TLS and NET_DEVICES";
            case UNSUPPORTED -> "no transport can listen: check TLS and SOCKADDR_TLS_PRIORITY";
            default -> help(reason);
        };
    }

    private static String helpEndpoint(UcsStatus reason) {
        return switch (reason) {
            case UNREACHABLE ->
                "no transport that both workers have reaches the peer; check TLS and NET_DEVICES on both"
                        + " sides. Over TCP, the worker or its host may be gone. Shared memory has error handling PEER only when the environment says"
                        + " UCX_POSIX_ERROR_HANDLING=y or UCX_SYSV_ERROR_HANDLING=y";
            case INVALID_PARAM -> "UCX cannot use an option, the address, or what the accepted client has sent";
            case IO_ERROR -> "a local address must be one of this machine's (ip address)";
            case UNSUPPORTED ->
                "no transport has all that the endpoint asks for; check TLS. Or the accepted client is not one of UCX";
            default -> help(reason);
        };
    }

    private static String helpMemory(UcsStatus reason) {
        return switch (reason) {
            case IO_ERROR ->
                "a device cannot register this memory, such as a writable mapping of a file; check" + " ulimit -l, too";
            case UNSUPPORTED -> "no transport of the context has this type of memory; check TLS";
            default -> help(reason);
        };
    }

    private static String helpContext(UcsStatus reason) {
        return reason == UcsStatus.INVALID_PARAM ? "ucx_info -cf explains the options and their values" : help(reason);
    }

    private static String help(UcsStatus reason) {
        return switch (reason) {
            case UNREACHABLE -> "the peer is gone or cannot be reached";
            case NO_DEVICE -> "no device fits the options TLS and NET_DEVICES; ucx_info -d lists what this machine has";
            case INVALID_ADDR -> "these are not the bytes of a worker's address()";
            case NO_MEMORY -> "check ulimit -l and the size of /dev/shm";
            case SHMEM_SEGMENT -> "check the size of /dev/shm and kernel.shmmax";
            case NOT_CONNECTED ->
                "nothing listens at the address, or the connection has ended; close the endpoint and make a new one";
            case REJECTED -> "the listener's program has rejected the connection, or its listener was closed";
            case CONNECTION_RESET ->
                "the peer is gone, or nothing listens at the address; close the endpoint and make a new one";
            case ENDPOINT_TIMEOUT -> "the peer is gone; close the endpoint and make a new one";
            case IO_ERROR -> "the network or a device failed, or the peer is gone";
            case TIMED_OUT -> "the peer has not answered in time; check the route and the firewall";
            case CANCELED -> "it was cancelled, or its endpoint was closed by force";
            case MESSAGE_TRUNCATED -> "the receive buffer is smaller than the message";
            case EXCEEDS_LIMIT -> "it is longer than a transport can carry";
            case NO_RESOURCE -> "a queue is full for the moment; progress the worker, and try again";
            case BUSY -> "something still waits; progress the worker, and try again";
            case NOT_IMPLEMENTED -> "this version of UCX, or a transport in use, lacks it; check TLS";
            case UNSUPPORTED -> "no transport in use has it; check TLS";
            case INVALID_PARAM, OUT_OF_RANGE, NO_ELEM, ALREADY_EXISTS, BUFFER_TOO_SMALL, SOME_CONNECTS_FAILED ->
                "UCX may have printed why; UCX_LOG_LEVEL=info prints more";
            case OK, IN_PROGRESS, NO_MESSAGE, NO_PROGRESS, UNKNOWN -> "";
        };
    }
}
