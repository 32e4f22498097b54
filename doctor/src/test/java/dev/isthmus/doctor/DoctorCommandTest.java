// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** On this machine, which has UCX and may have no RDMA device; and in the testbed, which has both. */
@Tag("ucx")
class DoctorCommandTest {

    private final StringWriter out = new StringWriter();

    private int doctor(String... arguments) {
        return new CommandLine(new DoctorCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute(arguments);
    }

    @Test
    void shouldSayWhetherThereIsADevice() {
        boolean devices = Files.exists(Path.of("/sys/class/infiniband/"));
        assertEquals(devices ? 0 : 1, doctor("--for", "verbs"), out.toString());
        assertTrue(out.toString().contains("ok    libibverbs 1."), out.toString());
        assertTrue(out.toString().contains(devices ? ": ACTIVE" : "./isthmus testbed --"), out.toString());
    }

    @Test
    void shouldFindWhatUcxHas() {
        assertEquals(0, doctor("--for", "ucx,jvm"), out.toString());
        String transport = System.getenv("ISTHMUS_UCX_TLS") == null ? "posix/memory" : "rc_verbs/";
        assertTrue(out.toString().contains("  ok    UCX 1."), out.toString());
        assertTrue(out.toString().contains(transport), out.toString());
    }

    @Test
    void shouldRefuseAPartThatThereIsNot() {
        assertEquals(2, doctor("--for", "tcp"));
    }
}
