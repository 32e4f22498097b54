// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.tags;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.bindings.ibverbs.ibv_ops_wr;
import dev.isthmus.testbed.CProgram;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares a struct, which Soft-RoCE does not use, with what a C program writes into it. */
@Tag("unit")
class TagOperationTest {

    private static final String C = """
            #include <stdio.h>
            #include <string.h>
            #include <infiniband/verbs.h>
            static void print(const void *p, size_t size) {
                for (size_t i = 0; i < size; i++) printf("%02x", ((const unsigned char *)p)[i]);
                printf("\\n");
            }
            int main(void) {
                struct ibv_ops_wr wr; memset(&wr, 0, sizeof wr);
                wr.wr_id = 5; wr.opcode = IBV_WR_TAG_ADD; wr.flags = IBV_OPS_SIGNALED | IBV_OPS_TM_SYNC;
                wr.tm.unexpected_cnt = 3; wr.tm.add.recv_wr_id = 6; wr.tm.add.tag = 0x77; wr.tm.add.mask = 0xff;
                print(&wr, sizeof wr);
                wr.opcode = IBV_WR_TAG_DEL; wr.tm.handle = 9; wr.flags = IBV_OPS_TM_SYNC;
                print(&wr, sizeof wr);
                wr.opcode = IBV_WR_TAG_SYNC;
                print(&wr, sizeof wr);
                return 0;
            }
            """;

    @Test
    void shouldBeWrittenAsCWritesIt() {
        var operation = TagOperation.prepare();
        try (var program = CProgram.compile(C)) {

            List<String> expected = program.run();
            operation.add(6, 0x77, 0xff).wrId(5).signaled(true).unexpectedCount(3);
            assertEquals(expected.get(0), hex(operation.struct()));
            operation.delete(9).signaled(false);
            assertEquals(expected.get(1), hex(operation.struct()));
            operation.synchronize();
            assertEquals(expected.get(2), hex(operation.struct()));
        }
    }

    /** Without the address of the buffers, which differs. */
    private static String hex(MemorySegment struct) {
        byte[] bytes = struct.toArray(ValueLayout.JAVA_BYTE);
        if (bytes.length == ibv_ops_wr.sizeof()) {
            Arrays.fill(bytes, 40, 48, (byte) 0);
        }
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void shouldRefuseHandlesThatItsQueueNeverGave() {
        var operation = TagOperation.prepare().delete(3);
        operation.check(4, null, "");
        assertThrows(IndexOutOfBoundsException.class, () -> operation.check(3, null, ""));
        operation.delete(-1);
        assertThrows(IndexOutOfBoundsException.class, () -> operation.check(Integer.MAX_VALUE, null, ""));
        assertThrows(IllegalStateException.class, operation::handle);
    }
}
