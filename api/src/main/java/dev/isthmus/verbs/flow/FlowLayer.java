// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import dev.isthmus.bindings.ibverbs.ibv_flow_esp_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_eth_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_gre_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_ipv4_ext_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_ipv4_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_ipv6_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_mpls_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_esp;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_eth;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_gre;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_ipv4;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_ipv4_ext;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_ipv6;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_mpls;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_tcp_udp;
import dev.isthmus.bindings.ibverbs.ibv_flow_spec_tunnel;
import dev.isthmus.bindings.ibverbs.ibv_flow_tcp_udp_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_tunnel_filter;
import java.util.function.LongSupplier;

/** A layer of packets that a {@link FlowMatch} examines: {@code enum ibv_flow_spec_type}. */
@SuppressWarnings("ImmutableEnumChecker") // the suppliers read constants late, as that loads the library
public enum FlowLayer {
    /** The Ethernet header. {@code IBV_FLOW_SPEC_ETH}. */
    ETH(0x20, ibv_flow_spec_eth::sizeof, ibv_flow_spec_eth::val$offset, ibv_flow_eth_filter::sizeof),
    /** The addresses of the IPv4 header. {@code IBV_FLOW_SPEC_IPV4}. */
    IPV4(0x30, ibv_flow_spec_ipv4::sizeof, ibv_flow_spec_ipv4::val$offset, ibv_flow_ipv4_filter::sizeof),
    /** The IPv6 header. {@code IBV_FLOW_SPEC_IPV6}. */
    IPV6(0x31, ibv_flow_spec_ipv6::sizeof, ibv_flow_spec_ipv6::val$offset, ibv_flow_ipv6_filter::sizeof),
    /** The IPv4 header. {@code IBV_FLOW_SPEC_IPV4_EXT}. */
    IPV4_EXT(
            0x32, ibv_flow_spec_ipv4_ext::sizeof, ibv_flow_spec_ipv4_ext::val$offset, ibv_flow_ipv4_ext_filter::sizeof),
    /** The ESP header of IPsec. {@code IBV_FLOW_SPEC_ESP}. */
    ESP(0x34, ibv_flow_spec_esp::sizeof, ibv_flow_spec_esp::val$offset, ibv_flow_esp_filter::sizeof),
    /** The ports of TCP. {@code IBV_FLOW_SPEC_TCP}. */
    TCP(0x40, ibv_flow_spec_tcp_udp::sizeof, ibv_flow_spec_tcp_udp::val$offset, ibv_flow_tcp_udp_filter::sizeof),
    /** The ports of UDP. {@code IBV_FLOW_SPEC_UDP}. */
    UDP(0x41, ibv_flow_spec_tcp_udp::sizeof, ibv_flow_spec_tcp_udp::val$offset, ibv_flow_tcp_udp_filter::sizeof),
    /** The VXLAN header. {@code IBV_FLOW_SPEC_VXLAN_TUNNEL}. */
    VXLAN_TUNNEL(0x50, ibv_flow_spec_tunnel::sizeof, ibv_flow_spec_tunnel::val$offset, ibv_flow_tunnel_filter::sizeof),
    /** The GRE header. {@code IBV_FLOW_SPEC_GRE}. */
    GRE(0x51, ibv_flow_spec_gre::sizeof, ibv_flow_spec_gre::val$offset, ibv_flow_gre_filter::sizeof),
    /** An MPLS label; its position in the rule is that in the packet. {@code IBV_FLOW_SPEC_MPLS}. */
    MPLS(0x60, ibv_flow_spec_mpls::sizeof, ibv_flow_spec_mpls::val$offset, ibv_flow_mpls_filter::sizeof);

    private final int code;
    private final LongSupplier bytes;
    private final LongSupplier valueOffset;
    private final LongSupplier filterBytes;

    FlowLayer(int code, LongSupplier bytes, LongSupplier valueOffset, LongSupplier filterBytes) {
        this.code = code;
        this.bytes = bytes;
        this.valueOffset = valueOffset;
        this.filterBytes = filterBytes;
    }

    /**
     * The value of the C constant.
     *
     * @return its code
     */
    public int code() {
        return code;
    }

    /** The size of the C struct. */
    long bytes() {
        return bytes.getAsLong();
    }

    /** The offset of the value in it; the mask follows. */
    long valueOffset() {
        return valueOffset.getAsLong();
    }

    /** The size of a value or mask. */
    int filterBytes() {
        return (int) filterBytes.getAsLong();
    }
}
