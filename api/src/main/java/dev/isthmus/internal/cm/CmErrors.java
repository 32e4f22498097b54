// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.cm;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.RdmaException;
import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** Errors of connection management in words: what each means, what usually causes it, and what helps. */
public final class CmErrors {

    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ENETUNREACH = 101;
    private static final int ETIMEDOUT = 110;
    private static final int ECONNREFUSED = 111;

    private CmErrors() {}

    /**
     * The exception for a failed call.
     *
     * @param help what the caller knows about the cause; empty for the usual cause
     */
    public static CmException ofCall(String call, String arguments, int errno, String help) {
        return new CmException(
                failureOf(errno),
                call,
                arguments,
                errno,
                0,
                Errno.describe(errno),
                help.isEmpty() ? usual(errno) : help,
                null);
    }

    /**
     * The exception for a failed call that takes an address. The kernel has two numbers for a port that is in use. One
     * is EADDRNOTAVAIL, if either of the two addresses is the wildcard; otherwise that means that the machine lacks
     * the address.
     *
     * @param failure the exception by the number alone
     * @param arguments the object and the arguments that matter
     * @param address the address; null for one that the kernel does not look up
     */
    public static CmException ofBind(CmException failure, String arguments, InetAddress address) {
        if (failure.errno() != EADDRNOTAVAIL || isForeign(address)) {
            return failure;
        }
        return new CmException(
                Failure.ADDRESS_IN_USE,
                failure.call(),
                arguments,
                EADDRNOTAVAIL,
                0,
                Errno.describe(EADDRNOTAVAIL),
                "the port is taken: " + usual(EADDRINUSE),
                null);
    }

    private static boolean isForeign(InetAddress address) {
        try {
            return address != null
                    && !address.isAnyLocalAddress()
                    && NetworkInterface.getByInetAddress(address) == null;
        } catch (SocketException e) {
            return true;
        }
    }

    /** The kind of failure of an error number, from a call or as an event's status. */
    public static Failure failureOf(int errno) {
        return switch (errno) {
            case EADDRINUSE -> Failure.ADDRESS_IN_USE;
            case Errno.ENODEV, EADDRNOTAVAIL -> Failure.NO_DEVICE;
            case ENETUNREACH, Errno.EHOSTUNREACH, ETIMEDOUT -> Failure.UNREACHABLE;
            case ECONNREFUSED -> Failure.REJECTED; // from rdma_connect on iWARP, which waits for the peer's host
            default -> Failure.OTHER;
        };
    }

    /** What an error number usually means here; empty if unknown. */
    public static String usual(int errno) {
        return switch (errno) {
            case EADDRINUSE ->
                "another program, or this one, listens there: choose another port, or reuseAddress(true)";
            case EADDRNOTAVAIL -> "no network interface of this machine has the address";
            case Errno.ENODEV ->
                "no RDMA device has this address, or the way to it does not begin at one: see rdma link";
            case ENETUNREACH, Errno.EHOSTUNREACH -> "there is no way to the address: see ip route";
            case ECONNREFUSED -> "nobody listens at that address and port";
            case ETIMEDOUT -> "nobody answered: the address, the link, or a firewall";
            case Errno.EACCES, Errno.EPERM -> "this process may not do that: see the rights of /dev/infiniband/rdma_cm";
            case Errno.ENOMEM -> "the system is out of resources";
            case Errno.EMFILE -> "too many open files: check ulimit -n";
            case Errno.EOPNOTSUPP, Errno.ENOSYS -> "the device or its transport does not have it";
            default -> "";
        };
    }

    /** The exception for a machine on which no event channel can be opened. */
    public static RdmaException noChannel(int errno) {
        return switch (errno) {
            case Errno.ENOENT, 6 -> // ENXIO
                new RdmaUnavailableException("the kernel's rdma_cm interface is missing: modprobe rdma_ucm, or pass"
                        + " /dev/infiniband/rdma_cm into the container");
            case Errno.ENODEV -> VerbsErrors.noDevice("no RDMA device to connect by");
            default -> ofCall("rdma_create_event_channel", "", errno, "");
        };
    }
}
