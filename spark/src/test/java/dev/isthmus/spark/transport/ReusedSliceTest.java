// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bytes of another block, which lie where a part lay before, are never taken for it. */
@Tag("ucx")
@Tag("host")
class ReusedSliceTest {

    @Test
    void shouldNotBeTakenForWhatItHeld() {
        ChildJvm.Result result = new ChildJvm()
                .under("env", "UCX_POSIX_ERROR_HANDLING=y") // as the plugin sets it for executors
                .options("--enable-native-access=ALL-UNNAMED")
                .run(ReusedSliceProgram.class);
        assertEquals(0, result.status(), result.output());
    }
}
