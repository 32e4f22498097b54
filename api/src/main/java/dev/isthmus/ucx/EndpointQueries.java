// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_ep_attr;
import dev.isthmus.bindings.ucx.ucp_ep_evaluate_perf_attr_t;
import dev.isthmus.bindings.ucx.ucp_ep_evaluate_perf_param_t;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.SocketAddresses;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Queries of an endpoint, on its worker's thread. */
final class EndpointQueries {

    /** {@code UCP_EP_ATTR_FIELD_TRANSPORTS}, since UCX 1.14. */
    private static final long TRANSPORTS = 1 << 3;

    private static final int TRANSPORTS_SINCE = 14;

    // Since UCX 1.14, ucp_ep_attr_t continues after the end of that of 1.13 with
    // {ucp_transport_entry_t *entries; unsigned num_entries; size_t entry_size;}, and a ucp_transport_entry_t is two
    // pointers to names.
    private static final long ENTRIES = ucp_ep_attr.sizeof();
    private static final long NUM_ENTRIES = ENTRIES + 8;
    private static final long ENTRY_SIZE = ENTRIES + 16;
    private static final long ATTR_BYTES = ENTRIES + 32; // including the user data of 1.18
    private static final long ENTRY_BYTES = 16;
    private static final int MAX_TRANSPORTS = 64; // more than an endpoint has lanes

    private EndpointQueries() {}

    static String name(UcpEndpoint endpoint) {
        try (var call = new UcpCall()) {
            MemorySegment attr = allocate(call, ucp_h.UCP_EP_ATTR_FIELD_NAME());
            call.check(Libucp.EP_QUERY, endpoint, endpoint.handle(), attr);
            return UcpCall.name(ucp_ep_attr.name(attr));
        }
    }

    static Optional<InetSocketAddress> localAddress(UcpEndpoint endpoint) {
        try (var call = new UcpCall()) {
            return query(call, endpoint, ucp_h.UCP_EP_ATTR_FIELD_LOCAL_SOCKADDR())
                    .map(attr -> SocketAddresses.read(ucp_ep_attr.local_sockaddr(attr)));
        }
    }

    static Optional<InetSocketAddress> remoteAddress(UcpEndpoint endpoint) {
        try (var call = new UcpCall()) {
            return query(call, endpoint, ucp_h.UCP_EP_ATTR_FIELD_REMOTE_SOCKADDR())
                    .map(attr -> SocketAddresses.read(ucp_ep_attr.remote_sockaddr(attr)));
        }
    }

    // Endpoints to worker addresses and failed endpoints have no socket address.
    private static Optional<MemorySegment> query(UcpCall call, UcpEndpoint endpoint, long field) {
        MemorySegment attr = allocate(call, field);
        int status = call.integer8(Libucp.EP_QUERY, endpoint.handle(), attr);
        if (UcsStatus.of(status) == UcsStatus.NOT_CONNECTED) {
            return Optional.empty();
        }
        UcxFailure.check(status, Libucp.EP_QUERY.name(), endpoint);
        return Optional.of(attr);
    }

    /** Whether the lines of {@code ucp_ep_print_info} name a transport over System V or POSIX shared memory. */
    static boolean isOverSharedMemory(String info) {
        return info.contains("posix/") || info.contains("sysv/");
    }

    /** Whether they name a transport whose atomic operations use this side's processor. */
    static boolean isWithinMachine(String info) {
        return isOverSharedMemory(info) || info.contains("self/");
    }

    static List<UcpTransport> transports(UcpEndpoint endpoint) {
        UcxLibrary.require(
                TRANSPORTS_SINCE,
                "asking an endpoint for its transports, which any UCX prints with UCX_LOG_LEVEL=info in the environment,");
        try (var call = new UcpCall()) {
            MemorySegment attr = allocate(call, TRANSPORTS);
            MemorySegment entries = call.allocate(MAX_TRANSPORTS * ENTRY_BYTES, Long.BYTES);
            attr.set(ValueLayout.ADDRESS, ENTRIES, entries);
            attr.set(ValueLayout.JAVA_INT, NUM_ENTRIES, MAX_TRANSPORTS);
            attr.set(ValueLayout.JAVA_LONG, ENTRY_SIZE, ENTRY_BYTES);
            call.check(Libucp.EP_QUERY, endpoint, endpoint.handle(), attr);
            var transports = new ArrayList<UcpTransport>();
            int count = attr.get(ValueLayout.JAVA_INT, NUM_ENTRIES);
            for (int i = 0; i < count; i++) {
                transports.add(new UcpTransport(
                        UcpCall.string(entries.get(ValueLayout.ADDRESS, i * ENTRY_BYTES)),
                        UcpCall.string(entries.get(ValueLayout.ADDRESS, i * ENTRY_BYTES + 8))));
            }
            return List.copyOf(transports);
        }
    }

    static double estimatedSeconds(UcpEndpoint endpoint, long bytes) {
        if (endpoint.worker().context().isUnified()) {
            // ucp_ep_evaluate_perf would look for a transport where there is none, and might end the process.
            throw new IllegalStateException("UCX cannot estimate times with its option UNIFIED_MODE=y");
        }
        try (var call = new UcpCall()) {
            MemorySegment param = ucp_ep_evaluate_perf_param_t.allocate(call);
            ucp_ep_evaluate_perf_param_t.field_mask(param, ucp_h.UCP_EP_PERF_PARAM_FIELD_MESSAGE_SIZE());
            ucp_ep_evaluate_perf_param_t.message_size(param, bytes);
            MemorySegment attr = ucp_ep_evaluate_perf_attr_t.allocate(call);
            ucp_ep_evaluate_perf_attr_t.field_mask(attr, ucp_h.UCP_EP_PERF_ATTR_FIELD_ESTIMATED_TIME());
            call.check(Libucp.EP_EVALUATE_PERF, endpoint, endpoint.handle(), param, attr);
            return ucp_ep_evaluate_perf_attr_t.estimated_time(attr);
        }
    }

    private static MemorySegment allocate(UcpCall call, long fields) {
        MemorySegment attr = call.allocate(ATTR_BYTES, Long.BYTES);
        ucp_ep_attr.field_mask(attr, fields);
        return attr;
    }
}
