// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.testbed.CProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares rules with what a C program writes into the same structs. */
@Tag("unit")
class FlowRuleTest {

    /** Each rule is printed as one line of hexadecimal digits. */
    private static final String C = """
            #include <arpa/inet.h>
            #include <stdio.h>
            #include <string.h>
            #include <infiniband/verbs.h>
            static unsigned char rule[4096];
            static unsigned char *end;
            static void *spec(size_t size) { void *s = end; end += size; return s; }
            #define ADD(kind, t) struct ibv_flow_spec_##kind *s = spec(sizeof *s); s->type = t; s->size = sizeof *s
            static struct ibv_flow_attr *begin(int type, int priority, int port, int flags) {
                memset(rule, 0, sizeof rule);
                end = rule + sizeof(struct ibv_flow_attr);
                struct ibv_flow_attr *a = (void *)rule;
                a->type = type; a->priority = priority; a->port = port; a->flags = flags;
                return a;
            }
            static void print(int specs) {
                struct ibv_flow_attr *a = (void *)rule;
                a->num_of_specs = specs; a->size = end - rule;
                for (unsigned char *p = rule; p < end; p++) printf("%02x", *p);
                printf("\\n");
            }
            int main(void) {
                begin(IBV_FLOW_ATTR_SNIFFER, 0, 2, IBV_FLOW_ATTR_FLAGS_EGRESS);
                print(0);
                begin(IBV_FLOW_ATTR_NORMAL, 0x1234, 1, IBV_FLOW_ATTR_FLAGS_DONT_TRAP);
                { ADD(eth, IBV_FLOW_SPEC_ETH);
                  memcpy(s->val.dst_mac, "\\x66\\x11\\x22\\x33\\x44\\x55", 6); memset(s->mask.dst_mac, 255, 6);
                  memcpy(s->val.src_mac, "\\x24\\x8a\\x07\\xa5\\x28\\xc8", 6);
                  memcpy(s->mask.src_mac, "\\xff\\xff\\xff\\0\\0\\0", 6);
                  s->val.ether_type = htons(0x0800); s->mask.ether_type = 0xffff;
                  s->val.vlan_tag = htons(0x1e05); s->mask.vlan_tag = htons(0x0fff); }
                { ADD(ipv4, IBV_FLOW_SPEC_IPV4);
                  s->val.src_ip = inet_addr("1.2.3.4"); s->mask.src_ip = 0xffffffff;
                  s->val.dst_ip = inet_addr("5.6.0.0"); s->mask.dst_ip = inet_addr("255.255.0.0"); }
                { ADD(tcp_udp, IBV_FLOW_SPEC_TCP);
                  s->val.dst_port = htons(18515); s->mask.dst_port = 0xffff;
                  s->val.src_port = htons(4711); s->mask.src_port = 0xffff; }
                { ADD(action_drop, IBV_FLOW_SPEC_ACTION_DROP); }
                print(4);
                begin(IBV_FLOW_ATTR_NORMAL, 0, 1, 0);
                { ADD(ipv4_ext, IBV_FLOW_SPEC_IPV4_EXT);
                  s->val.src_ip = inet_addr("1.2.3.4"); s->mask.src_ip = 0xffffffff;
                  s->val.dst_ip = inet_addr("5.6.7.8"); s->mask.dst_ip = 0xffffffff;
                  s->val.proto = 17; s->mask.proto = 0xff; s->val.tos = 0xb8; s->mask.tos = 0xfc;
                  s->val.ttl = 64; s->mask.ttl = 0xff; s->val.flags = 2; s->mask.flags = 0xff; }
                { ADD(tcp_udp, IBV_FLOW_SPEC_UDP); s->val.dst_port = htons(4791); s->mask.dst_port = 0xffff; }
                { ADD(tunnel, IBV_FLOW_SPEC_VXLAN_TUNNEL);
                  s->val.tunnel_id = htonl(0x123456); s->mask.tunnel_id = 0xffffffff; }
                { ADD(ipv6, IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_IPV6);
                  inet_pton(AF_INET6, "2001:db8::1", s->val.src_ip); memset(s->mask.src_ip, 255, 16);
                  inet_pton(AF_INET6, "2001:db8::2", s->val.dst_ip); memset(s->mask.dst_ip, 255, 16);
                  s->val.flow_label = htonl(0xabcde); s->mask.flow_label = htonl(0xfffff);
                  s->val.next_hdr = 6; s->mask.next_hdr = 255; s->val.traffic_class = 3; s->mask.traffic_class = 255;
                  s->val.hop_limit = 9; s->mask.hop_limit = 255; }
                { ADD(action_tag, IBV_FLOW_SPEC_ACTION_TAG); s->tag_id = 0xabcdef; }
                print(5);
                begin(IBV_FLOW_ATTR_NORMAL, 0, 1, 0);
                { ADD(gre, IBV_FLOW_SPEC_GRE);
                  s->val.c_ks_res0_ver = htons(0x2000); s->mask.c_ks_res0_ver = htons(0xb000);
                  s->val.protocol = htons(0x8847); s->mask.protocol = 0xffff;
                  s->val.key = htonl(77); s->mask.key = 0xffffffff; }
                { ADD(mpls, IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_MPLS);
                  s->val.label = htonl(0x12345 << 12); s->mask.label = htonl(0xfffff000); }
                { ADD(esp, IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_ESP);
                  s->val.spi = htonl(0xdeadbeef); s->mask.spi = 0xffffffff;
                  s->val.seq = htonl(5); s->mask.seq = 0xffffffff; }
                { ADD(action_tag, IBV_FLOW_SPEC_ACTION_TAG); s->tag_id = 1; }
                print(4);
                return 0;
            }
            """;

    private static final byte[] MAC_MASK = HexFormat.of().parseHex("ffffff000000");

    @Test
    void shouldBeWrittenAsCWritesThem() throws UnknownHostException {
        try (var program = CProgram.compile(C);
                var arena = Arena.ofConfined()) {
            List<String> expected = program.run();
            List<String> actual = new ArrayList<>();
            for (FlowRule rule : rules()) {
                MemorySegment struct = rule.write(arena);
                actual.add(HexFormat.of().formatHex(struct.toArray(ValueLayout.JAVA_BYTE)));
            }
            assertEquals(String.join("\n", expected), String.join("\n", actual));
        }
    }

    private static List<FlowRule> rules() throws UnknownHostException {
        return List.of(
                FlowRule.all(FlowRule.Type.SNIFFER, 2).withFlags(FlowRule.Flag.EGRESS),
                FlowRule.match(
                                1,
                                FlowMatch.of(FlowLayer.ETH)
                                        .with(FlowField.ETH_DST_MAC, 0x661122334455L)
                                        .with(
                                                FlowField.ETH_SRC_MAC,
                                                HexFormat.of().parseHex("248a07a528c8"),
                                                MAC_MASK)
                                        .with(FlowField.ETH_TYPE, 0x0800)
                                        .with(FlowField.ETH_VLAN_TAG, 0x1e05, 0x0fff),
                                FlowMatch.of(FlowLayer.IPV4)
                                        .with(FlowField.IPV4_SRC, InetAddress.getByName("1.2.3.4"))
                                        .with(FlowField.IPV4_DST, 0x05060000, 0xffff0000L),
                                FlowMatch.of(FlowLayer.TCP)
                                        .with(FlowField.DST_PORT, 18515)
                                        .with(FlowField.SRC_PORT, 4711),
                                FlowSpec.drop())
                        .withPriority(0x1234)
                        .withFlags(FlowRule.Flag.DONT_TRAP),
                FlowRule.match(
                        1,
                        FlowMatch.of(FlowLayer.IPV4_EXT)
                                .with(FlowField.IPV4_SRC, InetAddress.getByName("1.2.3.4"))
                                .with(FlowField.IPV4_DST, InetAddress.getByName("5.6.7.8"))
                                .with(FlowField.IPV4_PROTO, 17)
                                .with(FlowField.IPV4_TOS, 0xb8, 0xfc)
                                .with(FlowField.IPV4_TTL, 64)
                                .with(FlowField.IPV4_FLAGS, 2),
                        FlowMatch.of(FlowLayer.UDP).with(FlowField.DST_PORT, 4791),
                        FlowMatch.of(FlowLayer.VXLAN_TUNNEL).with(FlowField.TUNNEL_ID, 0x123456),
                        FlowMatch.of(FlowLayer.IPV6)
                                .inner()
                                .with(FlowField.IPV6_SRC, InetAddress.getByName("2001:db8::1"))
                                .with(FlowField.IPV6_DST, InetAddress.getByName("2001:db8::2"))
                                .with(FlowField.IPV6_FLOW_LABEL, 0xabcde, 0xfffff)
                                .with(FlowField.IPV6_NEXT_HDR, 6)
                                .with(FlowField.IPV6_TRAFFIC_CLASS, 3)
                                .with(FlowField.IPV6_HOP_LIMIT, 9),
                        FlowSpec.tag(0xabcdef)),
                FlowRule.match(
                        1,
                        FlowMatch.of(FlowLayer.GRE)
                                .with(FlowField.GRE_FLAGS, 0x2000, 0xb000)
                                .with(FlowField.GRE_PROTOCOL, 0x8847)
                                .with(FlowField.GRE_KEY, 77),
                        FlowMatch.of(FlowLayer.MPLS)
                                .with(FlowField.MPLS_LABEL, 0x12345L << 12, 0xfffff000L)
                                .inner(),
                        FlowMatch.of(FlowLayer.ESP)
                                .with(FlowField.ESP_SPI, 0xdeadbeefL)
                                .with(FlowField.ESP_SEQ, 5)
                                .inner(),
                        FlowSpec.tag(1)));
    }

    @Test
    void shouldRefuseValuesThatDoNotFit() throws UnknownHostException {
        var eth = FlowMatch.of(FlowLayer.ETH);
        assertThrows(IllegalArgumentException.class, () -> eth.with(FlowField.IPV4_TTL, 1));
        assertThrows(IllegalArgumentException.class, () -> eth.with(FlowField.ETH_TYPE, 0x10000));
        assertThrows(IllegalArgumentException.class, () -> eth.with(FlowField.ETH_TYPE, -1));
        assertThrows(IllegalArgumentException.class, () -> eth.with(FlowField.ETH_TYPE, 1, 0x10000));
        assertThrows(IllegalArgumentException.class, () -> eth.with(FlowField.ETH_DST_MAC, new byte[5], new byte[6]));
        var ipv6 = FlowMatch.of(FlowLayer.IPV6);
        assertThrows(IllegalArgumentException.class, () -> ipv6.with(FlowField.IPV6_SRC, 1));
        var address = InetAddress.getByName("1.2.3.4");
        assertThrows(IllegalArgumentException.class, () -> ipv6.with(FlowField.IPV6_SRC, address));
        var ipv4 = FlowMatch.of(FlowLayer.IPV4);
        assertThrows(IllegalArgumentException.class, () -> ipv4.with(FlowField.IPV4_TTL, 1));
    }

    @Test
    void shouldRefuseRulesThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> FlowRule.match(0));
        assertThrows(IllegalArgumentException.class, () -> FlowRule.match(256));
        var rule = FlowRule.match(1);
        assertThrows(IllegalArgumentException.class, () -> rule.withPriority(-1));
        assertThrows(IllegalArgumentException.class, () -> rule.withPriority(0x10000));
        var sniffer = FlowRule.all(FlowRule.Type.SNIFFER, 1);
        assertThrows(IllegalArgumentException.class, () -> sniffer.withFlags(FlowRule.Flag.DONT_TRAP));
        var many = Collections.nCopies(256, FlowSpec.drop());
        assertThrows(IllegalArgumentException.class, () -> new FlowRule(FlowRule.Type.NORMAL, 1, 0, Set.of(), many));
    }

    @Test
    void shouldLeaveAMatchAsItWas() {
        var eth = FlowMatch.of(FlowLayer.ETH);
        var ip = eth.with(FlowField.ETH_TYPE, 0x0800);
        assertEquals("ETH()", eth.toString());
        assertEquals("ETH(ETH_TYPE=0800/ffff)", ip.toString());
        assertNotEquals(eth.type(), eth.inner().type());
    }
}
