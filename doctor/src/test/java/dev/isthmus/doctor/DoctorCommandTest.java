// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.mpi.Mpi;
import dev.isthmus.testbed.ChildJvm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** On this machine, which has UCX and may have no RDMA device; and in the testbed, which has both. */
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
    @Tag("ucx")
    void shouldSayWhetherThereIsADevice() {
        boolean devices = Files.exists(Path.of("/sys/class/infiniband/"));
        assertEquals(devices ? 0 : 1, doctor("--for", "verbs"), out.toString());
        assertTrue(out.toString().contains("ok    libibverbs 1."), out.toString());
        assertTrue(out.toString().contains(devices ? ": ACTIVE" : "./isthmus testbed --"), out.toString());
    }

    @Test
    @Tag("ucx")
    void shouldFindWhatUcxHas() {
        assertEquals(0, doctor("--for", "ucx,jvm"), out.toString());
        String transport = System.getenv("ISTHMUS_UCX_TLS") == null ? "posix/memory" : "rc_verbs/";
        assertTrue(out.toString().contains("  ok    UCX 1."), out.toString());
        assertTrue(out.toString().contains(transport), out.toString());
    }

    @Test
    @Tag("ucx")
    void shouldRefuseAPartThatThereIsNot() {
        assertEquals(2, doctor("--for", "tcp"));
    }

    @Test
    @Tag("mpi")
    void shouldFindMpiAndItsLauncher() {
        assertEquals(0, doctor("--for", "mpi"), out.toString());
        assertTrue(out.toString().contains("MPI: works\n  ok    MPICH Version: 5."), out.toString());
        assertTrue(out.toString().contains(": MPI 5.0, ABI 1.0\n"), out.toString());
        assertTrue(out.toString().contains("/lib/libmpi_abi.so.1\n  ok    mpiexec is /"), out.toString());
    }

    /** Each child has another environment or another library; no sentence is longer than one. */
    private static String saysOfMpi(ChildJvm child) throws Exception {
        ChildJvm.Result result =
                child.options("--enable-native-access=ALL-UNNAMED").run(Main.class, "doctor", "--for", "mpi");
        assertEquals(1, result.status(), result.output());
        return result.output().substring(result.output().indexOf("MPI: does not work"));
    }

    @Test
    @Tag("mpi")
    void shouldSayInASentenceThatThereIsNoMpi() throws Exception {
        String said = saysOfMpi(new ChildJvm().under("env", "-u", "LD_LIBRARY_PATH", "PATH=/usr/sbin"));
        assertTrue(said.contains("  FIX   no MPI with the standard's ABI is on this machine (libmpi_abi.so.1)"), said);
        assertTrue(said.contains("        -> pip install mpich"), said);
        assertEquals(3, said.lines().count(), said);
    }

    @Test
    @Tag("mpi")
    void shouldSayInASentenceThatAnMpiIsOlder() throws Exception {
        String older = Mpi.library().replace("libmpi_abi.so.1", "libmpi.so.12");
        String said = saysOfMpi(new ChildJvm().options("-Disthmus.mpi.library=" + older));
        assertTrue(said.contains(older + " is an MPI without the standard's ABI, which MPI 5 has"), said);
        assertEquals(3, said.lines().count(), said);
    }
}
