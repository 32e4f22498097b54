// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.bindings.ibverbs.ib_uverbs_flow_action_esp;
import dev.isthmus.bindings.ibverbs.ib_uverbs_flow_action_esp_encap;
import dev.isthmus.bindings.ibverbs.ib_uverbs_flow_action_esp_keymat_aes_gcm;
import dev.isthmus.bindings.ibverbs.ib_uverbs_flow_action_esp_replay_bmp;
import dev.isthmus.bindings.ibverbs.ibv_flow_action_esp_attr;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.testbed.CProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares attributes with what a C program writes into the same structs. */
@Tag("unit")
class EspConfigTest {

    private static final String C = """
            #include <arpa/inet.h>
            #include <stdio.h>
            #include <string.h>
            #include <infiniband/verbs.h>
            static void print(const void *p, size_t size) {
                for (size_t i = 0; i < size; i++) printf("%02x", ((const unsigned char *)p)[i]);
                printf("\\n");
            }
            int main(void) {
                struct ibv_flow_action_esp esp; memset(&esp, 0, sizeof esp);
                esp.spi = 0x1234; esp.seq = 7; esp.tfc_pad = 64; esp.hard_limit_pkts = 1000000000000;
                esp.flags = IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD | IB_UVERBS_FLOW_ACTION_ESP_FLAGS_TUNNEL
                    | IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ENCRYPT | IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW
                    | IB_UVERBS_FLOW_ACTION_ESP_FLAGS_TRANSPORT;
                struct ibv_flow_action_esp_keymat_aes_gcm gcm; memset(&gcm, 0, sizeof gcm);
                gcm.iv = 0x1122334455667788; gcm.iv_algo = IB_UVERBS_FLOW_ACTION_IV_ALGO_SEQ;
                gcm.salt = 0xcafe; gcm.icv_len = 16; gcm.key_len = 32;
                for (int i = 0; i < 32; i++) ((unsigned char *)gcm.aes_key)[i] = i;
                struct ibv_flow_action_esp_replay_bmp bmp = { .size = 128 };
                struct ibv_flow_tcp_udp_filter udp; memset(&udp, 0, sizeof udp); udp.dst_port = htons(4500);
                struct ibv_flow_action_esp_attr a; memset(&a, 0, sizeof a);
                a.keymat_proto = IB_UVERBS_FLOW_ACTION_ESP_KEYMAT_AES_GCM; a.keymat_len = sizeof gcm;
                a.replay_proto = IB_UVERBS_FLOW_ACTION_ESP_REPLAY_BMP; a.replay_len = sizeof bmp;
                a.comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN; a.esn = 0xfffffffe;
                struct ibv_flow_action_esp_encap e; memset(&e, 0, sizeof e);
                e.len = sizeof udp; e.type = IBV_FLOW_SPEC_UDP;
                print(&a, sizeof a); print(&esp, sizeof esp); print(&gcm, sizeof gcm); print(&bmp, sizeof bmp);
                print(&e, sizeof e); print(&udp, sizeof udp);
                return 0;
            }
            """;

    @Test
    void shouldBeWrittenAsCWritesIt() {
        byte[] key = new byte[32];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) i;
        }
        var config = new EspConfig()
                .association(0x1234, 7, 64, 1_000_000_000_000L, EspConfig.Flag.values())
                .aesGcm(key, 0x1122334455667788L, 0xcafe, 16)
                .replayWindow(128)
                .encapsulation(
                        FlowMatch.of(FlowLayer.IPV6),
                        FlowMatch.of(FlowLayer.UDP).with(FlowField.DST_PORT, 4500))
                .esn(-2);
        try (var program = CProgram.compile(C);
                var arena = Arena.ofConfined()) {
            assertEquals(String.join("\n", program.run()), String.join("\n", structs(config.write(arena))));
        }
    }

    /** The structs as C prints them: the pointers are followed, and left out. */
    private static List<String> structs(MemorySegment attributes) {
        List<String> structs = new ArrayList<>();
        MemorySegment esp = sized(ibv_flow_action_esp_attr.esp_attr(attributes), ib_uverbs_flow_action_esp.sizeof());
        MemorySegment gcm = sized(
                ibv_flow_action_esp_attr.keymat_ptr(attributes), ib_uverbs_flow_action_esp_keymat_aes_gcm.sizeof());
        MemorySegment bmp =
                sized(ibv_flow_action_esp_attr.replay_ptr(attributes), ib_uverbs_flow_action_esp_replay_bmp.sizeof());
        MemorySegment outer =
                sized(ibv_flow_action_esp_attr.esp_encap(attributes), ib_uverbs_flow_action_esp_encap.sizeof());
        assertEquals(FlowLayer.IPV6.code(), ib_uverbs_flow_action_esp_encap.type(outer));
        MemorySegment inner =
                sized(ib_uverbs_flow_action_esp_encap.next_ptr(outer), ib_uverbs_flow_action_esp_encap.sizeof());
        assertEquals(MemorySegment.NULL, ib_uverbs_flow_action_esp_encap.next_ptr(inner));
        MemorySegment udp =
                sized(ib_uverbs_flow_action_esp_encap.val_ptr(inner), ib_uverbs_flow_action_esp_encap.len(inner));
        ibv_flow_action_esp_attr.esp_attr(attributes, MemorySegment.NULL);
        ibv_flow_action_esp_attr.keymat_ptr(attributes, MemorySegment.NULL);
        ibv_flow_action_esp_attr.replay_ptr(attributes, MemorySegment.NULL);
        ibv_flow_action_esp_attr.esp_encap(attributes, MemorySegment.NULL);
        ib_uverbs_flow_action_esp_encap.val_ptr(inner, MemorySegment.NULL);
        for (MemorySegment struct : List.of(attributes, esp, gcm, bmp, inner, udp)) {
            structs.add(HexFormat.of().formatHex(struct.toArray(ValueLayout.JAVA_BYTE)));
        }
        return structs;
    }

    private static MemorySegment sized(MemorySegment pointer, long bytes) {
        return NativeCall.sized(pointer, bytes);
    }

    @Test
    void shouldLeaveOutWhatIsNotSet() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment attributes = new EspConfig().write(arena);
            assertEquals(-1, attributes.mismatch(arena.allocate(attributes.byteSize())));
            attributes = new EspConfig().replayWindow(0).write(arena);
            assertEquals(0, ibv_flow_action_esp_attr.replay_proto(attributes));
            assertEquals(0, ibv_flow_action_esp_attr.replay_len(attributes));
            assertFalse(ibv_flow_action_esp_attr.replay_ptr(attributes).equals(MemorySegment.NULL));
        }
    }

    @Test
    void shouldRefuseLengthsThatAesDoesNotHave() {
        var config = new EspConfig();
        assertThrows(IllegalArgumentException.class, () -> config.aesGcm(new byte[17], 0, 0, 16));
        assertThrows(IllegalArgumentException.class, () -> config.aesGcm(new byte[16], 0, 0, 15));
        assertThrows(IllegalArgumentException.class, () -> config.replayWindow(-1));
    }

    @Test
    void shouldKeepTheKeyOutOfMessages() {
        assertFalse(new EspConfig()
                .aesGcm("sixteen letters!".getBytes(StandardCharsets.US_ASCII), 0, 0, 16)
                .toString()
                .contains("73697874"));
    }
}
