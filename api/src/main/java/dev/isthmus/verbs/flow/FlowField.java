// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import dev.isthmus.bindings.ibverbs.ibv_flow_esp_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_eth_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_gre_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_ipv4_ext_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_ipv6_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_mpls_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_tcp_udp_filter;
import dev.isthmus.bindings.ibverbs.ibv_flow_tunnel_filter;
import java.util.function.LongSupplier;

/** A field of a {@link FlowLayer}: a member of one of {@code struct ibv_flow_*_filter}. */
@SuppressWarnings("ImmutableEnumChecker") // the suppliers read constants late, as that loads the library
public enum FlowField {
    /** Of ETH: the receiver's address, 6 bytes. {@code dst_mac}. */
    ETH_DST_MAC(6, ibv_flow_eth_filter::dst_mac$offset, FlowLayer.ETH),
    /** Of ETH: the sender's address, 6 bytes. {@code src_mac}. */
    ETH_SRC_MAC(6, ibv_flow_eth_filter::src_mac$offset, FlowLayer.ETH),
    /** Of ETH: the type after the last VLAN tag, 16 bits. {@code ether_type}. */
    ETH_TYPE(2, ibv_flow_eth_filter::ether_type$offset, FlowLayer.ETH),
    /** Of ETH: priority (3 bits), CFI (1) and VLAN (12). {@code vlan_tag}. */
    ETH_VLAN_TAG(2, ibv_flow_eth_filter::vlan_tag$offset, FlowLayer.ETH),
    /** Of IPV4 and IPV4_EXT: the sender's address, 4 bytes. {@code src_ip}. */
    IPV4_SRC(4, ibv_flow_ipv4_ext_filter::src_ip$offset, FlowLayer.IPV4, FlowLayer.IPV4_EXT),
    /** Of IPV4 and IPV4_EXT: the receiver's address, 4 bytes. {@code dst_ip}. */
    IPV4_DST(4, ibv_flow_ipv4_ext_filter::dst_ip$offset, FlowLayer.IPV4, FlowLayer.IPV4_EXT),
    /** Of IPV4_EXT: the protocol above, such as 17 for UDP, 8 bits. {@code proto}. */
    IPV4_PROTO(1, ibv_flow_ipv4_ext_filter::proto$offset, FlowLayer.IPV4_EXT),
    /** Of IPV4_EXT: the type of service, 8 bits. {@code tos}. */
    IPV4_TOS(1, ibv_flow_ipv4_ext_filter::tos$offset, FlowLayer.IPV4_EXT),
    /** Of IPV4_EXT: the time to live, 8 bits. {@code ttl}. */
    IPV4_TTL(1, ibv_flow_ipv4_ext_filter::ttl$offset, FlowLayer.IPV4_EXT),
    /** Of IPV4_EXT: the fragment flags, 8 bits. {@code flags}. */
    IPV4_FLAGS(1, ibv_flow_ipv4_ext_filter::flags$offset, FlowLayer.IPV4_EXT),
    /** Of IPV6: the sender's address, 16 bytes. {@code src_ip}. */
    IPV6_SRC(16, ibv_flow_ipv6_filter::src_ip$offset, FlowLayer.IPV6),
    /** Of IPV6: the receiver's address, 16 bytes. {@code dst_ip}. */
    IPV6_DST(16, ibv_flow_ipv6_filter::dst_ip$offset, FlowLayer.IPV6),
    /** Of IPV6: the flow label, 20 bits. {@code flow_label}. */
    IPV6_FLOW_LABEL(4, ibv_flow_ipv6_filter::flow_label$offset, FlowLayer.IPV6),
    /** Of IPV6: the protocol above, such as 17 for UDP, 8 bits. {@code next_hdr}. */
    IPV6_NEXT_HDR(1, ibv_flow_ipv6_filter::next_hdr$offset, FlowLayer.IPV6),
    /** Of IPV6: the traffic class, 8 bits. {@code traffic_class}. */
    IPV6_TRAFFIC_CLASS(1, ibv_flow_ipv6_filter::traffic_class$offset, FlowLayer.IPV6),
    /** Of IPV6: the hop limit, 8 bits. {@code hop_limit}. */
    IPV6_HOP_LIMIT(1, ibv_flow_ipv6_filter::hop_limit$offset, FlowLayer.IPV6),
    /** Of ESP: the index of the security association, 32 bits. {@code spi}. */
    ESP_SPI(4, ibv_flow_esp_filter::spi$offset, FlowLayer.ESP),
    /** Of ESP: the sequence number, 32 bits. {@code seq}. */
    ESP_SEQ(4, ibv_flow_esp_filter::seq$offset, FlowLayer.ESP),
    /** Of TCP and UDP: the receiver's port, 16 bits. {@code dst_port}. */
    DST_PORT(2, ibv_flow_tcp_udp_filter::dst_port$offset, FlowLayer.TCP, FlowLayer.UDP),
    /** Of TCP and UDP: the sender's port, 16 bits. {@code src_port}. */
    SRC_PORT(2, ibv_flow_tcp_udp_filter::src_port$offset, FlowLayer.TCP, FlowLayer.UDP),
    /** Of VXLAN_TUNNEL: the network identifier, 24 bits. {@code tunnel_id}. */
    TUNNEL_ID(4, ibv_flow_tunnel_filter::tunnel_id$offset, FlowLayer.VXLAN_TUNNEL),
    /** Of GRE: which parts are present (bits 15 to 12: checksum, none, key, sequence), and the version. {@code c_ks_res0_ver}. */
    GRE_FLAGS(2, ibv_flow_gre_filter::c_ks_res0_ver$offset, FlowLayer.GRE),
    /** Of GRE: the type of the payload, 16 bits. {@code protocol}. */
    GRE_PROTOCOL(2, ibv_flow_gre_filter::protocol$offset, FlowLayer.GRE),
    /** Of GRE: the key, 32 bits. {@code key}. */
    GRE_KEY(4, ibv_flow_gre_filter::key$offset, FlowLayer.GRE),
    /** Of MPLS: label (20 bits), traffic class (3), bottom of stack (1), time to live (8). {@code label}. */
    MPLS_LABEL(4, ibv_flow_mpls_filter::label$offset, FlowLayer.MPLS);

    private final int bytes;
    private final LongSupplier offset;
    private final FlowLayer layer;
    private final FlowLayer otherLayer;

    FlowField(int bytes, LongSupplier offset, FlowLayer layer) {
        this(bytes, offset, layer, layer);
    }

    FlowField(int bytes, LongSupplier offset, FlowLayer layer, FlowLayer otherLayer) {
        this.bytes = bytes;
        this.offset = offset;
        this.layer = layer;
        this.otherLayer = otherLayer;
    }

    /**
     * Whether a layer has the field.
     *
     * @param of the layer
     * @return true if it has
     */
    public boolean isOf(FlowLayer of) {
        return of == layer || of == otherLayer;
    }

    /**
     * Its size.
     *
     * @return bytes
     */
    public int bytes() {
        return bytes;
    }

    /** Its offset in the filter struct. */
    int offset() {
        return (int) offset.getAsLong();
    }
}
