// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

/**
 * How far a connection has got. It explains an EINVAL, and says what may be answered. In all else the kernel decides.
 */
enum Phase {
    CREATED("bind() or resolveAddress() comes next"),
    BOUND("listen(), resolveAddress() or joinMulticast() comes next"),
    RESOLVING_ADDRESS("its event comes next, which some thread must take"),
    ADDRESS_RESOLVED("resolveRoute() comes next"),
    RESOLVING_ROUTE("its event comes next, which some thread must take"),
    ROUTE_RESOLVED("connect() comes next"),
    CONNECTING("its event comes next, which some thread must take"),
    LISTENING("requests come next"),
    REQUESTED("accept() or reject() comes next"),
    RESPONDED("establish() or reject() comes next"),
    ESTABLISHED("disconnect() comes next"),
    ENDED("close() comes next");

    private final String next;

    Phase(String next) {
        this.next = next;
    }

    /** The phase, and what can follow it. */
    String explain() {
        return "it is " + this + ", and " + next;
    }

    /** The phase that an event leads to; null if there is none. */
    static Phase after(CmEventType type) {
        return switch (type) {
            case ADDR_RESOLVED -> ADDRESS_RESOLVED;
            case ROUTE_RESOLVED -> ROUTE_RESOLVED;
            case CONNECT_RESPONSE -> RESPONDED;
            case ESTABLISHED -> ESTABLISHED;
            case ADDR_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED, DISCONNECTED, DEVICE_REMOVAL -> ENDED;
            case ROUTE_ERROR -> ADDRESS_RESOLVED;
            default -> null;
        };
    }
}
