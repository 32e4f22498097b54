// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.rss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.bindings.ibverbs.ibv_rx_hash_conf;
import dev.isthmus.testbed.CProgram;
import dev.isthmus.verbs.attributes.RxHashField;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares a struct, which Soft-RoCE does not use, with what a C program writes into it. */
@Tag("unit")
class ReceiveHashTest {

    private static final String C = """
            #include <stdio.h>
            #include <string.h>
            #include <infiniband/verbs.h>
            static void print(const void *p, size_t size) {
                for (size_t i = 0; i < size; i++) printf("%02x", ((const unsigned char *)p)[i]);
                printf("\\n");
            }
            int main(void) {
                struct ibv_rx_hash_conf conf; memset(&conf, 0, sizeof conf);
                conf.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ; conf.rx_hash_key_len = 3;
                conf.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_PORT_UDP | (uint64_t)IBV_RX_HASH_INNER;
                print(&conf, sizeof conf);
                return 0;
            }
            """;

    @Test
    void shouldBeWrittenAsCWritesIt() {
        try (var program = CProgram.compile(C);
                var arena = Arena.ofConfined()) {
            List<String> expected = program.run();
            MemorySegment conf = arena.allocate(ibv_rx_hash_conf.layout());
            ReceiveHash.toeplitz(new byte[3], RxHashField.SRC_IPV4, RxHashField.DST_PORT_UDP, RxHashField.INNER)
                    .write(conf, arena);
            ibv_rx_hash_conf.rx_hash_key(conf, MemorySegment.NULL);
            assertEquals(expected.getFirst(), HexFormat.of().formatHex(conf.toArray(ValueLayout.JAVA_BYTE)));
        }
    }

    @Test
    void shouldRefuseHashKeysThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> ReceiveHash.toeplitz(new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> ReceiveHash.toeplitz(new byte[256]));
    }
}
