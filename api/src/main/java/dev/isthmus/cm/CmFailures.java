// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.cm.CmErrors;
import java.time.Duration;

/** Exceptions for failures that events report. */
final class CmFailures {

    private CmFailures() {}

    /** The exception for an event that ends a connection; null for one that does not. */
    static CmException of(CmEvent event, String what) {
        return switch (event) {
            case CmEvent.Rejected rejected -> rejected(rejected, what);
            case CmEvent.AddressError e -> ofStatus(e, what, CmErrors.failureOf(-e.status()));
            case CmEvent.RouteError e -> ofStatus(e, what, Failure.UNREACHABLE);
            case CmEvent.Unreachable e -> ofStatus(e, what, Failure.UNREACHABLE);
            case CmEvent.ConnectError e -> ofStatus(e, what, Failure.OTHER);
            case CmEvent.Disconnected e ->
                plain(e, what, Failure.DISCONNECTED, "the peer has disconnected, or its process has ended");
            case CmEvent.DeviceRemoval e -> plain(e, what, Failure.DEVICE_REMOVED, "the device is being removed");
            default -> null;
        };
    }

    private static CmException rejected(CmEvent.Rejected event, String what) {
        RejectReason reason = event.reason();
        String help = switch (reason) {
            case NOBODY_LISTENS -> "nobody listens at that address and port, in that port space";
            case CONNECTION_REFUSED, CONNECTION_RESET -> "nobody listens there, or the program said no";
            case CONSUMER_DEFINED -> "the program there said no, with " + event.privateData();
            default -> "";
        };
        return new CmException(
                Failure.REJECTED,
                "RDMA_CM_EVENT_REJECTED",
                what,
                0,
                event.status(),
                reason + " (" + event.status() + ")",
                help,
                event.privateData().bytes());
    }

    private static CmException ofStatus(CmEvent event, String what, Failure failure) {
        int errno = Math.max(0, -event.status());
        String error = errno == 0 ? "status " + event.status() : Errno.describe(errno);
        String help = CmErrors.usual(errno);
        return new CmException(
                failure, "RDMA_CM_EVENT_" + event.type(), what, errno, event.status(), error, help, null);
    }

    private static CmException plain(CmEvent event, String what, Failure failure, String error) {
        return new CmException(failure, "RDMA_CM_EVENT_" + event.type(), what, 0, event.status(), error, "", null);
    }

    /** The exception for a deadline that has passed. */
    static CmException timedOut(String call, String what, Duration deadline, String waitedFor) {
        return new CmException(
                Failure.TIMED_OUT,
                call,
                what,
                0,
                0,
                "no " + waitedFor + " within " + deadline.toMillis() + " ms",
                "",
                null);
    }
}
