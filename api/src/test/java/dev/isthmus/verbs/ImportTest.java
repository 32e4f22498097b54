// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is made by one open device and used by another, of the same process here. */
@Tag("device")
class ImportTest {

    @Test
    void shouldWriteToImportedRegion() throws IOException {
        try (var pair = RcPair.connected()) {
            int fd = pair.b.device.commandFileDescriptor();
            long before = openFiles();
            DeviceContext imported;
            try {
                imported = DeviceContext.importFrom(fd);
            } catch (VerbsException e) {
                assertEquals(before, openFiles());
                pair.b.device.attributes(); // the exporter's own descriptor is open
                throw Features.unsupported(e, "ibv_import_device", "file descriptor ");
            }
            try (imported;
                    var pd = imported.importProtectionDomain(pair.b.pd.handleNumber());
                    var region = importOf(pd, pair.b.region);
                    var cq = imported.createCompletionQueue(16);
                    var qp = pd.createQueuePair(QueuePairType.RC, cq, cq)) {
                assertEquals(pair.b.device.device(), imported.device());
                assertEquals(pair.b.region.rkey(), region.rkey());
                writeToSelf(qp, cq, pd, region);
                assertEquals(4711, pair.b.memory().get(ValueLayout.JAVA_INT, 0));
            }
            pair.b.region.close(); // still there, and its owner's
        }
    }

    /** Connects a queue pair to itself, and writes to the imported region, which is the exporter's memory. */
    private static void writeToSelf(QueuePair qp, CompletionQueue cq, ProtectionDomain pd, MemoryRegion region) {
        GidEntry gid = pd.context().defaultGid(1);
        qp.connect(gid, qp.address(gid));
        try (var memory = pd.allocate(64)) {
            memory.segment().set(ValueLayout.JAVA_INT, 0, 4711);
            assertTrue(qp.tryPost(SendRequest.prepare(memory.region())
                    .range(0, 4)
                    .opcode(SendOpcode.RDMA_WRITE)
                    .remote(region.address(), region.rkey())
                    .signaled(true)));
            var done = WorkCompletions.allocate(1);
            while (cq.poll(done) == 0) {
                Thread.onSpinWait();
            }
            assertTrue(done.isSuccess(0), done.toString());
        }
    }

    private static MemoryRegion importOf(ProtectionDomain pd, MemoryRegion exported) {
        return pd.importRegion(
                exported.handleNumber(),
                exported.address(),
                exported.length(),
                exported.access().toArray(AccessFlag[]::new));
    }

    private static long openFiles() throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(ImportTest::isOfADevice).count();
        }
    }

    private static boolean isOfADevice(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("infiniband");
        } catch (IOException gone) { // closed since it was listed, as the files of other threads are
            return false;
        }
    }

    @Test
    void shouldImportDomain() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var again = Features.make(
                        "ibv_import_pd",
                        context.device().name() + ", imported " + pd.handleNumber(),
                        () -> context.importProtectionDomain(pd.handleNumber()))) {
            assertEquals(pd.handleNumber(), again.handleNumber());
        }
    }

    @Test
    void shouldImportRegion() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var memory = pd.allocate(4096, AccessFlag.LOCAL_WRITE)) {
            assertThrows(IllegalArgumentException.class, () -> pd.importRegion(1, 0, 0));
            String arguments =
                    context.device().name() + ", handle " + memory.region().handleNumber();
            try (var again = Features.make("ibv_import_mr", arguments, () -> importOf(pd, memory.region()))) {
                assertEquals(memory.region().lkey(), again.lkey());
            }
        }
    }

    @Test
    void shouldRefuseDescriptorThatIsOfNoDevice() {
        var e = assertThrows(IllegalArgumentException.class, () -> DeviceContext.importFrom(-1));
        assertEquals("file descriptor -1 is not of /dev/infiniband/uverbsN, but not open", e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> DeviceContext.importFrom(0));
    }
}
