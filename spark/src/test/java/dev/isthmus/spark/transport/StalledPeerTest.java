// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that is stopped, as by {@code kill -STOP}, costs others nothing. */
@Tag("ucx")
@Tag("host")
@Tag("extended")
class StalledPeerTest {

    /** For the files of programs, which may be killed. */
    @TempDir
    private Path folder;

    private void run(String tls, int greed, String fate) {
        ChildJvm.Result result = new ChildJvm()
                .under("env", "UCX_POSIX_ERROR_HANDLING=y") // as the plugin sets it for executors
                .options("-Djava.io.tmpdir=" + folder, "--enable-native-access=ALL-UNNAMED")
                .deadline(TestDeadlines.ofSeconds(280))
                .run(StallingProgram.class, tls, Integer.toString(greed), fate);
        assertEquals(0, result.status(), result.output());
    }

    @ParameterizedTest
    @CsvSource({"'tcp,self', 7", "'tcp,self', 8", "'posix,self', 7", "'posix,self', 8"})
    void shouldNotSlowOthers(String tls, int greed) {
        run(tls, greed, "goes-on");
    }

    @ParameterizedTest
    @CsvSource({"'tcp,self', 7", "'posix,self', 8"})
    void shouldBeGivenUpAndItsMemoryFreed(String tls, int greed) {
        run(tls, greed, "given-up");
    }

    @ParameterizedTest
    @CsvSource({"'tcp,self', 7", "'tcp,self', 8", "'posix,self', 7", "'posix,self', 8"})
    void shouldBeServedAgainWhenItGoesOn(String tls, int greed) {
        run(tls, greed, "returned");
    }

    @ParameterizedTest
    @CsvSource({"'tcp,self'", "'posix,self'"})
    void shouldBeConnectedWhenItGoesOn(String tls) {
        run(tls, StallingProgram.SHORT, "late");
    }

    @Test
    void shouldBeGivenUpWhenTooManyMessagesWaitForIt() {
        run("tcp,self", StallingProgram.SHORT, "flooded");
    }
}
