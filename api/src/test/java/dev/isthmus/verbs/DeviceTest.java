// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.PortAttributes;
import dev.isthmus.verbs.attributes.PortState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class DeviceTest {

    @Test
    void shouldListTheDevicesThatTheKernelHas() throws IOException {
        try (var names = Files.list(Sysfs.DEVICES)) {
            List<String> expected =
                    names.map(path -> path.getFileName().toString()).sorted().toList();
            assertFalse(expected.isEmpty());
            assertEquals(
                    expected, Device.list().stream().map(Device::name).sorted().toList());
        }
    }

    @Test
    void shouldNameTheDevicesThereAreWhenAskedForAnother() {
        var e = assertThrows(RdmaUnavailableException.class, () -> Device.named("nope0"));
        assertTrue(e.getMessage().contains("nope0"), e.getMessage());
        assertTrue(e.getMessage().contains(Device.first().name()), e.getMessage());
    }

    @Test
    void shouldReportWhatIbvDevinfoReports() throws IOException, InterruptedException {
        Device device = Device.first();
        String devinfo = output("ibv_devinfo", "-v", "-d", device.name());
        try (var context = device.open()) {
            DeviceAttributes attributes = context.attributes();
            assertEquals(field(devinfo, "max_qp"), attributes.maxQp());
            assertEquals(field(devinfo, "max_qp_wr"), attributes.maxQpWr());
            assertEquals(field(devinfo, "max_cqe"), attributes.maxCqe());
            assertEquals(field(devinfo, "max_srq_sge"), attributes.maxSrqSge());
            assertEquals(field(devinfo, "local_ca_ack_delay"), attributes.localCaAckDelay());
            assertEquals(field(devinfo, "phys_port_cnt"), attributes.physPortCount());
            assertEquals(guid(devinfo, "node_guid"), attributes.nodeGuid());
            assertEquals(guid(devinfo, "node_guid"), device.guid());
            PortAttributes port = context.port(1);
            assertEquals(PortState.ACTIVE, port.state());
            assertEquals(field(devinfo, "port_lid"), port.lid());
            assertEquals(field(devinfo, "active_mtu"), port.activeMtu().bytes());
            assertEquals(LinkLayer.ETHERNET, port.linkLayer());
            String gids = devinfo.replaceAll("\\s+", " ");
            for (GidEntry entry : context.gidTable(1)) {
                assertTrue(gids.contains("GID[ " + entry.index() + "]:"), gids);
            }
        }
    }

    @Test
    void shouldReadTheGidTableOfSysfs() throws IOException {
        Device device = Device.first();
        Path port = Sysfs.DEVICES.resolve(device.name()).resolve("ports/1");
        try (var context = device.open()) {
            List<GidEntry> table = context.gidTable(1);
            assertFalse(table.isEmpty());
            for (GidEntry entry : table) {
                String index = Integer.toString(entry.index());
                assertEquals(
                        Files.readString(port.resolve("gids").resolve(index)).strip(),
                        entry.gid().toString());
                String type = Files.readString(port.resolve("gid_attrs/types").resolve(index))
                        .strip();
                assertEquals(type.equals("RoCE v2"), entry.type() == GidType.ROCE_V2);
                assertEquals(Sysfs.isOfKernel(), entry.netdevIndex() > 0);
            }
        }
    }

    @Test
    void shouldPreferRoutableGid() {
        try (var context = Device.first().open()) {
            GidEntry gid = context.defaultGid(1);
            assertEquals(GidType.ROCE_V2, gid.type());
            assertTrue(gid.gid().isIpv4Mapped(), gid.toString());
        }
    }

    @Test
    void shouldListTheTableWhenGidIndexIsOutOfRange() {
        try (var context = Device.first().open()) {
            GidEntry first = context.gidTable(1).getFirst();
            var e = assertThrows(IllegalArgumentException.class, () -> context.gid(1, 4711));
            assertTrue(e.getMessage().contains("4711"), e.getMessage());
            assertTrue(e.getMessage().contains(first.gid().toString()), e.getMessage());
        }
    }

    @Test
    void shouldRefusePortThatTheDeviceDoesNotHave() {
        try (var context = Device.first().open()) {
            var e = assertThrows(IllegalArgumentException.class, () -> context.port(2));
            assertTrue(e.getMessage().contains("from 1 to 1"), e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> context.port(0));
            assertThrows(IllegalArgumentException.class, () -> context.gidTable(257));
        }
    }

    @Test
    void shouldRefuseToCloseBeforeItsChildren() {
        var context = Device.first().open();
        var pd = context.allocateProtectionDomain();
        var cq = context.createCompletionQueue(16);
        var e = assertThrows(IllegalStateException.class, context::close);
        assertTrue(e.getMessage().contains("1 CompletionQueue, 1 ProtectionDomain"), e.getMessage());
        cq.close();
        pd.close();
        context.close();
        context.close();
        assertThrows(IllegalStateException.class, context::attributes);
        assertThrows(IllegalStateException.class, context::allocateProtectionDomain);
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    private static int field(String devinfo, String name) {
        var line = Pattern.compile("\\s" + name + ":\\s+(\\d+)").matcher(devinfo);
        assertTrue(line.find(), name);
        return Integer.parseInt(line.group(1));
    }

    private static long guid(String devinfo, String name) {
        var line = Pattern.compile(name + ":\\s+([0-9a-f:]+)").matcher(devinfo);
        assertTrue(line.find(), name);
        return Long.parseUnsignedLong(line.group(1).replace(":", ""), 16);
    }
}
