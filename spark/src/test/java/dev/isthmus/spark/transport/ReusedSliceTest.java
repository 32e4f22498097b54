// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slices that are used anew: bytes of another block, in the place of a part, are never taken for that part. */
@Tag("ucx")
@Tag("host")
class ReusedSliceTest {

    /** For the files of programs, which may be killed. */
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"posix,self", "tcp,self"})
    void shouldNotBeTakenForWhatItHeld(String tls) {
        run(tls);
    }

    /** {@link UcxDefaults} says what UCX needs for that. */
    @Test
    void shouldBeFetchedOverSharedMemoryWithoutTheServersThread() {
        run("held");
    }

    private void run(String how) {
        ChildJvm.Result result = new ChildJvm()
                .under("env", "UCX_POSIX_ERROR_HANDLING=y") // as the plugin sets it for executors
                .options("-Djava.io.tmpdir=" + folder, "--enable-native-access=ALL-UNNAMED")
                .run(ReusedSliceProgram.class, how);
        assertEquals(0, result.status(), result.output());
    }
}
