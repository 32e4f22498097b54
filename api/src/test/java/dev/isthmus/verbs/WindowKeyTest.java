// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.CProgram;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class WindowKeyTest {

    private static final int[] KEYS = {0, 1, 0xff, 0x100, 0x1234_56ff, 0xffff_ffff, 0x8000_0000};

    @Test
    void shouldCountAsTheHeaderDoes() {
        String keys = String.join(
                ", ",
                IntStream.of(KEYS)
                        .mapToObj(key -> Integer.toUnsignedString(key) + "u")
                        .toList());
        String source = """
                #include <stdio.h>
                #include <infiniband/verbs.h>
                int main(void)
                {
                    uint32_t keys[] = {%s};
                    for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++)
                        printf("%%u\\n", ibv_inc_rkey(keys[i]));
                }
                """.formatted(keys);
        try (var program = CProgram.compile(source)) {
            List<String> ours = IntStream.of(KEYS)
                    .map(MemoryWindow::increment)
                    .mapToObj(Integer::toUnsignedString)
                    .toList();
            assertEquals(program.run(), ours);
        }
    }
}
