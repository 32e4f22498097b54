// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.RdmaUnavailableException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files as kernels show them, in a folder. */
@Tag("unit")
class DoctorTest {

    private static final long PLENTY = 1L << 30;
    private static final String PORT = "sys/class/infiniband/rxe0/ports/1/";

    @TempDir
    private Path root;

    /** What a machine with everything installed says. */
    private static class Installed implements Libraries {
        @Override
        public String verbs() {
            return "libibverbs 1.14.44.0 (rdma-core 44)";
        }

        @Override
        public boolean isGidOf(int interfaceIndex, String gid) {
            return interfaceIndex == 3;
        }

        @Override
        public String rdmaCm() {
            return "librdmacm 1.3.44.0 (rdma-core 44)";
        }

        @Override
        public String ucx() {
            return "UCX 1.13.1";
        }

        @Override
        public List<String> ucxTransports() {
            return List.of("tcp/lo", "posix/memory", "rc_verbs/rxe0:1");
        }

        @Override
        public FoundMpi mpi() {
            Path launcher = Path.of("/opt/mpich/bin/mpiexec");
            return mpich(launcher, launcher);
        }

        static FoundMpi mpich(Path own, Path onPath) {
            return new FoundMpi(
                    "MPICH Version: 5.0.2: MPI 5.0, ABI 1.0", "/opt/mpich/lib/libmpi_abi.so.1", own, onPath);
        }
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    /** A machine with one Soft-RoCE device, on which all is well. */
    private void softRoce() throws IOException {
        file(PORT + "state", "4: ACTIVE");
        file(PORT + "phys_state", "5: LinkUp");
        file(PORT + "link_layer", "Ethernet");
        file(PORT + "rate", "10 Gb/sec (1X FDR10)");
        file(PORT + "gids/0", "fe80:0000:0000:0000:bc0c:8aff:fe8d:41c1");
        file(PORT + "gids/1", "0000:0000:0000:0000:0000:ffff:0a00:0001");
        file(PORT + "gids/2", "0000:0000:0000:0000:0000:0000:0000:0000");
        file(PORT + "gid_attrs/types/0", "RoCE v2");
        file(PORT + "gid_attrs/types/1", "RoCE v2");
        file(PORT + "gid_attrs/ndevs/0", "veth0");
        file(PORT + "gid_attrs/ndevs/1", "veth0");
        file("sys/class/infiniband_verbs/uverbs0/ibdev", "rxe0");
        file("sys/class/net/veth0/ifindex", "3");
        file("sys/class/misc/rdma_cm/dev", "10:124");
        file("dev/infiniband/uverbs0", "");
        file("dev/infiniband/rdma_cm", "");
        file("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes");
        file("proc/meminfo", "HugePages_Total:      64\nHugePages_Free:       60\nHugepagesize:       2048 kB");
    }

    private String report(Libraries libraries) {
        var out = new StringWriter();
        DoctorCommand.print(new PrintWriter(out), DoctorCommand.examine(new KernelFiles(root), libraries, PLENTY));
        return out.toString();
    }

    private static void assertSays(String report, String... lines) {
        for (String line : lines) {
            assertTrue(report.contains(line), () -> "not there: " + line + "\n" + report);
        }
    }

    @Test
    void shouldFindNothingToMendWhereAllIsThere() throws IOException {
        softRoce();
        String report = report(new Installed());
        assertSays(
                report,
                "verbs: works",
                "rdma_cm: works",
                "UCX: works",
                "  ok    libibverbs 1.14.44.0 (rdma-core 44)\n",
                "  ok    rxe0 port 1 (Ethernet): ACTIVE, 10 Gb/sec (1X FDR10)\n",
                "GIDs 0 fe80:0000:0000:0000:bc0c:8aff:fe8d:41c1 RoCE v2; 1 0000:",
                "  ok    60 of 64 huge pages of 2048 KiB are free\n",
                "  ok    memory can be locked without limit\n");
        assertFalse(report.contains("FIX"), report);
    }

    @Test
    void shouldTellOfMpiAndItsLauncher() {
        assertSays(
                report(new Installed()),
                "MPI: works\n  ok    MPICH Version: 5.0.2: MPI 5.0, ABI 1.0\n",
                "  ok    /opt/mpich/lib/libmpi_abi.so.1\n",
                "  ok    mpiexec is /opt/mpich/bin/mpiexec\n");
    }

    private String reportWithLaunchers(Path own, Path onPath) {
        return report(new Installed() {
            @Override
            public FoundMpi mpi() {
                return mpich(own, onPath);
            }
        });
    }

    @Test
    void shouldTellWhereALauncherIsMissingOrOfAnotherMpi() {
        Path own = Path.of("/opt/mpich/bin/mpiexec");
        Path other = Path.of("/usr/bin/orterun");
        assertSays(
                reportWithLaunchers(own, other),
                "MPI: works",
                "  note  mpiexec on the PATH, /usr/bin/orterun, is of another MPI: each rank would be alone\n",
                "        -> start programs by /opt/mpich/bin/mpiexec\n");
        assertSays(
                reportWithLaunchers(own, null),
                "  note  mpiexec is not on the PATH\n        -> start programs by /opt/mpich/bin/mpiexec\n");
        assertSays(reportWithLaunchers(null, other), "  ok    mpiexec is /usr/bin/orterun\n");
        assertSays(reportWithLaunchers(null, null), "MPI: does not work", "FIX   no mpiexec is beside the library");
    }

    @Test
    void shouldNameTheTestbedWhereThereIsNoKernelSide() throws IOException {
        file("proc/sys/kernel/osrelease", "6.1.0-cloud");
        String report = report(new Installed());
        assertSays(report, "verbs: does not work", "6.1.0-cloud has no verbs interface", "./isthmus testbed --");
        assertSays(report, "rdma_cm: does not work", "boot a kernel that has rdma_ucm", "UCX: works");
    }

    @Test
    void shouldSayHowToMakeADeviceWhereTheModuleIs() throws IOException {
        file("proc/sys/kernel/osrelease", "6.1.0-amd64");
        file(
                "lib/modules/6.1.0-amd64/modules.dep",
                "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko: x\nkernel/drivers/infiniband/core/ib_uverbs.ko:\n"
                        + "kernel/drivers/infiniband/core/rdma_ucm.ko.xz:");
        assertSays(
                report(new Installed()),
                "-> modprobe ib_uverbs\n",
                "-> modprobe rdma_ucm\n",
                "FIX   no RDMA device\n        -> without hardware: modprobe rdma_rxe && rdma link add rxe0");
    }

    @Test
    void shouldTellWhichLinkIsDown() throws IOException {
        softRoce();
        file(PORT + "state", "1: DOWN");
        file(PORT + "phys_state", "3: Disabled");
        assertSays(
                report(new Installed()),
                "note  rxe0 port 1 (Ethernet): DOWN, link Disabled\n        -> ip link set veth0 up",
                "FIX   rxe0 has no port that is ACTIVE");
        file(PORT + "link_layer", "InfiniBand");
        assertSays(report(new Installed()), "opensm");
    }

    @Test
    void shouldTellThatAPortHasNoAddress() throws IOException {
        softRoce();
        file(PORT + "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
        assertSays(report(new Installed()), "link-local GIDs only: 0 fe80:", "give [veth0] an IP address");
        file(PORT + "gids/0", "0000:0000:0000:0000:0000:0000:0000:0000");
        assertSays(report(new Installed()), "FIX   rxe0 port 1 (Ethernet): no GID");
    }

    /** Linux shows the GIDs of all network namespaces to each of them. */
    @Test
    void shouldTellThatAllGidsBelongToOtherNetworkNamespaces() throws IOException {
        softRoce();
        Files.delete(root.resolve("sys/class/net/veth0/ifindex"));
        assertSays(
                report(new Installed()),
                "FIX   rxe0 port 1 (Ethernet): no GID of this network namespace, only those of others: 0 fe80:",
                "-> give this namespace a network interface of the port, or share the host's network",
                "rdma_cm: does not work");
        file("sys/class/net/veth0/ifindex", "4"); // an interface of the same name
        assertSays(report(new Installed()), "FIX   rxe0 port 1 (Ethernet): no GID of this network namespace");
    }

    @Test
    void shouldCountGidsOfOtherNetworkNamespaces() throws IOException {
        softRoce();
        file(PORT + "gids/2", "0000:0000:0000:0000:0000:ffff:0a00:0002");
        file(PORT + "gid_attrs/ndevs/2", "net1");
        String report = report(new Installed());
        assertSays(report, "ffff:0a00:0001 RoCE v2; and 1 of other network namespaces\n", "verbs: works");
        assertFalse(report.contains("0a00:0002"), report);
    }

    @Test
    void shouldSayThatDevicesMayBelongToAnotherNetworkNamespace() throws IOException {
        softRoce();
        file("sys/module/ib_core/parameters/netns_mode", "N");
        Files.move(root.resolve("sys/class/infiniband/rxe0"), root.resolve("elsewhere"));
        assertSays(
                report(new Installed()),
                "FIX   no RDMA device in this network namespace;",
                "rdma dev set DEVICE netns NAMESPACE");
    }

    /** A device plugin gives a pod one of several devices, and the kernel shows it all of them. */
    @Test
    void shouldNotMissTheDevicesThatAContainerIsNotGiven() throws IOException {
        softRoce();
        file("sys/class/infiniband_verbs/uverbs1/ibdev", "rxe1");
        file("sys/class/infiniband/rxe1/ports/1/state", "1: DOWN");
        assertSays(
                report(new Installed()),
                "verbs: works",
                "note  /dev/infiniband/uverbs1 is missing, which is rxe1",
                "note  rxe1 has no port that is ACTIVE");
    }

    @Test
    void shouldTellThatNodesAreMissingOrForbidden() throws IOException {
        softRoce();
        Files.delete(root.resolve("dev/infiniband/uverbs0"));
        Files.delete(root.resolve("dev/infiniband/rdma_cm"));
        assertSays(
                report(new Installed()),
                "FIX   /dev/infiniband/uverbs0 is missing, which is rxe0\n        -> in a container: --device=/dev/infiniband",
                "FIX   /dev/infiniband/rdma_cm is missing");
        Path node = root.resolve("dev/infiniband/uverbs0");
        Files.createDirectory(node, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------")));
        if (!Files.isWritable(node)) { // root may do anything
            assertSays(report(new Installed()), "FIX   this user may not read and write /dev/infiniband/uverbs0");
        }
    }

    @Test
    void shouldTellTheLimitOfLockedMemory() throws IOException {
        softRoce();
        String line = "Max locked memory         %s              %s              bytes";
        file("proc/self/limits", line.formatted("8388608", "8388608"));
        assertSays(report(new Installed()), "note  only 8 MiB of memory can be locked", "--ulimit memlock=-1");
        file("proc/self/limits", line.formatted("1073741824", "unlimited"));
        assertSays(report(new Installed()), "ok    1.0 GiB of memory can be locked");
        file("proc/self/limits", line.formatted("65536", "65536"));
        file("proc/self/status", "CapEff:\t000001ffffffffff");
        assertSays(report(new Installed()), "ok    memory can be locked without limit (CAP_IPC_LOCK)");
    }

    @ParameterizedTest
    @CsvSource({
        "'ID=debian', apt-get install libibverbs1 ibverbs-providers, apt-get install librdmacm1, apt-get install libucx0",
        "'ID=ubuntu\nID_LIKE=debian', apt-get install libibverbs1 ibverbs-providers, apt-get install librdmacm1,"
                + " apt-get install libucx0",
        "'NAME=\"Fedora Linux\"\nID=fedora', dnf install libibverbs, dnf install librdmacm, dnf install ucx",
        "'ID=\"rhel\"\nID_LIKE=\"fedora\"', dnf install libibverbs, dnf install librdmacm, dnf install ucx",
        "'ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"', dnf install libibverbs, dnf install librdmacm, dnf install ucx",
        "'ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"',"
                + " 'install what Debian calls libibverbs1 ibverbs-providers, and Fedora libibverbs',"
                + " 'install what Debian calls librdmacm1, and Fedora librdmacm',"
                + " 'install what Debian calls libucx0, and Fedora ucx'",
    })
    void shouldTellWhichLibrariesAreMissing(String release, String verbs, String rdmaCm, String ucx)
            throws IOException {
        softRoce();
        file("etc/os-release", release);
        String report = report(new Installed() {
            @Override
            public String verbs() {
                throw new RdmaUnavailableException("no libibverbs.so.1");
            }

            @Override
            public String rdmaCm() {
                throw new RdmaUnavailableException("no librdmacm.so.1");
            }

            @Override
            public String ucx() {
                throw new RdmaUnavailableException("no libucp.so.0");
            }
        });
        assertSays(
                report,
                "FIX   no libibverbs.so.1\n        -> " + verbs + "\n",
                "FIX   no librdmacm.so.1\n        -> " + rdmaCm + "\n",
                "FIX   no libucp.so.0\n        -> " + ucx + "\n");
        assertFalse(report.contains(": works\n") && report.contains("UCX: works"), report);
    }

    @Test
    void shouldTellWhichTransportsUcxLacks() throws IOException {
        softRoce();
        String report = report(new Installed() {
            @Override
            public List<String> ucxTransports() {
                return List.of("tcp/lo");
            }
        });
        assertSays(report, "UCX: works", "no shared memory among the transports", "no RDMA among the transports");
    }

    @Test
    void shouldPrintTheSameAsJson() throws IOException {
        softRoce();
        var out = new StringWriter();
        var findings = DoctorCommand.examine(new KernelFiles(root), new Installed(), 1 << 20);
        DoctorCommand.printJson(new PrintWriter(out), findings);
        var text = new StringWriter();
        DoctorCommand.print(new PrintWriter(text), findings);
        assertEquals(text.toString(), DoctorCommand.text(out.toString()));
        JsonNode parts = new ObjectMapper().readTree(out.toString());
        assertEquals(Part.values().length - 1, parts.size()); // no JVM was named for sockets
        assertEquals("VERBS", parts.get(1).get("part").asText());
        assertTrue(parts.get(1).get("works").asBoolean());
        JsonNode shared = parts.get(3).get("findings").get(0);
        assertEquals("NOTE", shared.get("level").asText());
        assertTrue(shared.get("what").asText().contains("/dev/shm has only 1 MiB"), shared.toString());
        assertTrue(shared.get("mend").asText().contains("--shm-size"), shared.toString());
    }
}
