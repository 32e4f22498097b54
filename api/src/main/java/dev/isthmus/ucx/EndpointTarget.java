// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_ep_params;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucs_sock_addr;
import dev.isthmus.internal.SocketAddresses;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** The target of an endpoint: writes its part of {@code ucp_ep_params_t}, including mask bits. */
@FunctionalInterface
interface EndpointTarget {

    /** A worker, whose address says how to reach it. */
    record WorkerTarget(UcpAddress remote) implements EndpointTarget {
        @Override
        public void write(UcpCall call, MemorySegment params) {
            add(params, ucp_h.UCP_EP_PARAM_FIELD_REMOTE_ADDRESS(), 0);
            ucp_ep_params.address(params, remote.copyTo(call));
        }
    }

    /** A listener at a socket address. */
    record ListenerTarget(InetSocketAddress at) implements EndpointTarget {
        @Override
        public void write(UcpCall call, MemorySegment params) {
            add(
                    params,
                    ucp_h.UCP_EP_PARAM_FIELD_SOCK_ADDR() | ucp_h.UCP_EP_PARAM_FIELD_FLAGS(),
                    ucp_h.UCP_EP_PARAMS_FLAGS_CLIENT_SERVER());
            EndpointTarget.write(call, ucp_ep_params.sockaddr(params), at);
        }
    }

    /**
     * Writes the target.
     *
     * @param call the call that owns the memory that the parameters point to
     * @param params the parameters, whose mask and flags get further bits
     */
    void write(UcpCall call, MemorySegment params);

    /** Adds bits to the mask and to the flags. */
    static void add(MemorySegment params, int fields, int flags) {
        ucp_ep_params.field_mask(params, ucp_ep_params.field_mask(params) | fields);
        ucp_ep_params.flags(params, ucp_ep_params.flags(params) | flags);
    }

    /** Writes a {@code ucs_sock_addr_t}. */
    static void write(UcpCall call, MemorySegment to, InetSocketAddress address) {
        MemorySegment bytes = SocketAddresses.write(call, address);
        ucs_sock_addr.addr(to, bytes);
        ucs_sock_addr.addrlen(to, (int) bytes.byteSize());
    }
}
