// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.CProgram;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What verbs.h computes inline is the same here. */
@Tag("unit")
class InlineFunctionsTest {

    private static final int[] LABELS = {0, 1, 0x3fff, 0x4000, 0x12345, 0xf_ffff};

    private static List<String> c(String body) {
        try (var program = CProgram.compile(
                "#include <stdio.h>\n#include <infiniband/verbs.h>\nint main(void) {\n" + body + "}\n")) {
            return program.run();
        }
    }

    @Test
    void shouldComputeTheSourcePortAsCDoes() {
        var source = new StringBuilder();
        var ours = new ArrayList<String>();
        for (int label : LABELS) {
            source.append("printf(\"%d\\n\", ibv_flow_label_to_udp_sport(")
                    .append(label)
                    .append("));\n");
            ours.add("" + AddressVector.local(1, 0).withFlowLabel(label).udpSourcePort());
        }
        assertEquals(c(source.toString()), ours);
    }

    @Test
    void shouldFindQueuePairTypesInMasksAsCDoes() {
        var source = new StringBuilder();
        var ours = new ArrayList<String>();
        for (QueuePairType type : QueuePairType.values()) {
            for (int mask : new int[] {0, -1, 1 << 2 | 1 << 4, 1 << 8}) {
                if (type.code() > 0 && type.code() < 32) {
                    source.append("printf(\"%d\\n\", ibv_is_qpt_supported(")
                            .append(mask)
                            .append(", ")
                            .append(type.code())
                            .append("));\n");
                    ours.add(type.isIn(mask) ? "1" : "0");
                }
            }
        }
        assertEquals(c(source.toString()), ours);
    }
}
