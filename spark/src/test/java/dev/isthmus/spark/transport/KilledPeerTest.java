// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes, one of which is killed: everything that waits for it fails at once, and nothing stays pinned. */
@Tag("ucx")
@Tag("host")
class KilledPeerTest {

    /** For the files of programs, which may be killed. */
    @TempDir
    private Path folder;

    private void fetchAndKill(String tls, String transport) {
        ChildJvm.Result result = new ChildJvm()
                .under("env", "UCX_POSIX_ERROR_HANDLING=y") // as the plugin sets it for executors
                .options("-Djava.io.tmpdir=" + folder, "--enable-native-access=ALL-UNNAMED")
                .run(FetchingProgram.class, tls);
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("over " + transport), result.output());
        assertTrue(result.output().contains("SEEN after"), result.output());
    }

    @Test
    void shouldBeSeenOverTcp() {
        fetchAndKill("tcp,self", "tcp/");
    }

    @Test
    void shouldBeSeenOverSharedMemory() {
        fetchAndKill("posix,self", "posix/");
    }
}
