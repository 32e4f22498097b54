// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.CmException;
import dev.isthmus.RdmaException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.RejectReason;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** Turns failures of the connection manager into the exceptions that programs expect of sockets. */
final class CmFailure {

    private static final int ETIMEDOUT = 110;

    private CmFailure() {}

    static IOException of(RdmaException e, Object what) {
        if (!(e instanceof CmException cm)) {
            return new IOException(what + ": " + e.getMessage(), e);
        }
        return cause(
                switch (cm.failure()) {
                    case ADDRESS_IN_USE -> new BindException("Address already in use: " + what);
                    case NO_DEVICE ->
                        new NoRouteToHostException("No route to host: no RDMA device has a route to " + what);
                    case UNREACHABLE -> new NoRouteToHostException("No route to host: " + what);
                    case REJECTED -> new ConnectException("Connection refused: " + what);
                    case TIMED_OUT -> new ConnectException("Connection timed out: " + what);
                    default -> new ConnectException(what + ": " + e.getMessage());
                },
                e);
    }

    /** The failure of a bind. */
    static IOException ofBind(RdmaException e, Object address) {
        boolean isForeign = e instanceof CmException cm && cm.failure() == CmException.Failure.NO_DEVICE;
        return isForeign
                ? cause(new BindException("Cannot assign requested address: no RDMA device has " + address), e)
                : of(e, address);
    }

    static IOException of(CmEvent event, Object what) {
        return switch (event) {
            case CmEvent.Rejected rejected ->
                new ConnectException("Connection refused: " + what + ": "
                        + (rejected.reason() == RejectReason.UNKNOWN
                                ? "status " + rejected.status()
                                : rejected.reason()));
            case CmEvent.AddressError error ->
                new NoRouteToHostException("No route to host: " + what
                        + (error.status() == -ETIMEDOUT
                                ? ": nobody on the link answers for this address"
                                : ", status " + error.status()));
            case CmEvent.RouteError error ->
                new NoRouteToHostException("No route to host: " + what + ", status " + error.status());
            case CmEvent.Unreachable unreachable ->
                new ConnectException(
                        (unreachable.status() == -ETIMEDOUT ? "Connection timed out: " : "Host is unreachable: ")
                                + what);
            default -> new ConnectException(what + ": RDMA_CM_EVENT_" + event.type() + ", status " + event.status());
        };
    }

    static IOException timedOut(Object what, Duration deadline) {
        return new SocketTimeoutException("Connection timed out: " + what + " within " + deadline.toMillis() + " ms");
    }

    private static IOException cause(IOException e, Throwable cause) {
        e.initCause(cause);
        return e;
    }
}
