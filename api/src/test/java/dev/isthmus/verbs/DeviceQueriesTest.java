// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.VerbsException;
import dev.isthmus.verbs.attributes.AtomicCapability;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import dev.isthmus.verbs.attributes.DeviceCapability;
import dev.isthmus.verbs.attributes.ExtendedDeviceAttributes;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.NodeType;
import dev.isthmus.verbs.attributes.OdpCapability;
import dev.isthmus.verbs.attributes.PhysicalState;
import dev.isthmus.verbs.attributes.PortAttributes;
import dev.isthmus.verbs.attributes.PortState;
import dev.isthmus.verbs.attributes.TransportType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a device reports about itself, its ports and its GIDs. */
@Tag("device")
class DeviceQueriesTest {

    private static final int EINVAL = 22;
    private static final int EHOSTUNREACH = 113;

    private final Device device = Device.first();
    private final DeviceContext context = device.open();
    private final Path sysfs = Sysfs.DEVICES.resolve(device.name());

    @AfterEach
    void close() {
        context.close();
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file).strip();
    }

    @Test
    void shouldFindDeviceByTheIndexOfTheKernel() {
        for (Device each : Device.list()) {
            assertEquals(each, Device.atIndex(each.index().orElseThrow()));
        }
        assertEquals(
                Device.list().size(),
                Device.list().stream().map(Device::index).distinct().count());
        var e = assertThrows(RdmaUnavailableException.class, () -> Device.atIndex(4711));
        assertEquals(
                "no RDMA device with index 4711; this machine has: "
                        + Device.list().stream().map(Device::name).collect(Collectors.joining(", ")),
                e.getMessage());
        assertThrows(RdmaUnavailableException.class, () -> Device.atIndex(-1));
    }

    @Tag("connectx")
    @Test
    void shouldSayWhereTheKernelDescribesDevice() throws IOException {
        assertEquals(sysfs, device.ibdevPath());
        assertEquals(device.name(), read(device.devPath().resolve("ibdev")));
        assertEquals(device.devPath().getFileName().toString(), device.devName());
        assertEquals(Sysfs.isOfKernel(), Files.exists(Path.of("/dev/infiniband", device.devName())));
        assertTrue(read(sysfs.resolve("node_type")).startsWith(device.nodeType().code() + ":"));
        boolean rnic = device.nodeType() == NodeType.RNIC;
        assertEquals(rnic ? TransportType.IWARP : TransportType.IB, device.transportType());
    }

    @Tag("connectx")
    @Test
    void shouldReportSaneLimitsOfEveryDevice() {
        for (Device each : Device.list()) {
            try (var opened = each.open()) {
                checkSane(opened.attributes());
                checkSane(opened.extendedAttributes().original());
            }
        }
    }

    private static void checkSane(DeviceAttributes attributes) {
        assertNotEquals(0, attributes.nodeGuid());
        assertNotEquals(0, attributes.sysImageGuid());
        assertTrue(Long.compareUnsigned(attributes.maxMrSize(), 4096) > 0);
        assertTrue(Long.compareUnsigned(attributes.pageSizeCap(), 4096) >= 0);
        assertNotEquals(0, attributes.vendorId());
        for (int limit : new int[] {
            attributes.maxQp(),
            attributes.maxQpWr(),
            attributes.maxSge(),
            attributes.maxCq(),
            attributes.maxCqe(),
            attributes.maxMr(),
            attributes.maxPd(),
            attributes.maxPkeys(),
            attributes.physPortCount()
        }) {
            assertTrue(limit > 0, attributes.toString());
        }
        assertTrue(attributes.maxSgeRd() >= 0);
        assertNotEquals(AtomicCapability.UNKNOWN, attributes.atomicCap());
    }

    @Tag("connectx")
    @Test
    void shouldAddToTheAttributesWhenAskedForMore() {
        ExtendedDeviceAttributes more = context.extendedAttributes();
        assertEquals(context.attributes(), more.original());
        assertEquals(Math.min(255, more.physPortCount()), more.original().physPortCount());
        assertTrue(more.capabilities().containsAll(more.original().capabilities()));
        assertTrue(more.capabilities().contains(DeviceCapability.PORT_ACTIVE_EVENT));
        boolean paging = more.odp().general().contains(OdpCapability.SUPPORT);
        assertEquals(paging, !more.odp().rc().isEmpty());
        assertEquals(more.packetPacing().maxKbps() != 0, more.packetPacing().supportedQpTypes() != 0);
        assertTrue(context.completionVectors() >= 1);
    }

    @Tag("connectx")
    @Test
    void shouldReportSanePortOfEveryDevice() {
        for (Device each : Device.list()) {
            try (var opened = each.open()) {
                PortAttributes port = opened.port(1);
                assertEquals(PortState.ACTIVE, port.state());
                assertEquals(PhysicalState.LINK_UP, port.physState());
                assertTrue(port.activeMtu().bytes() > 0);
                assertTrue(port.activeMtu().bytes() <= port.maxMtu().bytes());
                assertTrue(port.activeWidth().lanes() > 0);
                assertTrue(port.activeSpeed().gbps() > 0);
                assertTrue(port.virtualLanes() > 0);
                assertNotEquals(LinkLayer.UNKNOWN, port.linkLayer());
                assertTrue(port.maxMessageSize() > 0x1000);
                assertEquals(port.portCapFlags() == 0, port.capabilities().isEmpty());
            }
        }
    }

    @Tag("connectx")
    @Test
    void shouldReadThePartitionKeysOfSysfs() throws IOException {
        int length = context.port(1).pkeyTableLength();
        for (int i = 0; i < length; i++) {
            int expected = Integer.decode(read(sysfs.resolve("ports/1/pkeys/" + i)));
            assertEquals(expected, context.pkey(1, i));
        }
        assertEquals(OptionalInt.of(0), context.pkeyIndex(1, context.pkey(1, 0)));
        assertEquals(OptionalInt.empty(), context.pkeyIndex(1, 0x1234));
        var e = assertThrows(IllegalArgumentException.class, () -> context.pkey(1, length));
        assertEquals(
                "no partition key at index " + length + " of " + device + " port 1: its table has " + length,
                e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> context.pkey(1, -1));
        assertThrows(IllegalArgumentException.class, () -> context.pkey(0, 0));
        assertThrows(IllegalArgumentException.class, () -> context.pkeyIndex(1, 0x10000));
        assertThrows(IllegalArgumentException.class, () -> context.pkeyIndex(300, 0xffff));
    }

    @Tag("connectx")
    @Test
    void shouldReadEachGidOfTheTableByItsIndex() throws IOException {
        List<GidEntry> table = context.gidTable(1);
        assertFalse(table.isEmpty());
        for (GidEntry entry : table) {
            assertEquals(entry, context.gid(1, entry.index()));
            assertEquals(entry.gid(), context.rawGid(1, entry.index()));
            if (entry.netdevIndex() != 0) {
                assertEquals(
                        read(sysfs.resolve("ports/1/gid_attrs/ndevs/" + entry.index())),
                        entry.netdevName().orElseThrow());
            }
        }
    }

    @Tag("connectx")
    @Test
    void shouldTellEmptyGidFromOneBeyondTheTable() {
        int length = context.port(1).gidTableLength();
        Set<Integer> used = context.gidTable(1).stream().map(GidEntry::index).collect(Collectors.toSet());
        int empty = IntStream.range(0, length)
                .filter(i -> !used.contains(i))
                .findFirst()
                .orElseThrow();
        assertTrue(context.rawGid(1, empty).isZero());
        assertThrows(IllegalArgumentException.class, () -> context.gid(1, empty));
        assertThrows(IllegalArgumentException.class, () -> context.gid(1, length));
        assertThrows(IllegalArgumentException.class, () -> context.gid(1, -1));
        var e = assertThrows(IllegalArgumentException.class, () -> context.rawGid(1, length));
        assertEquals(
                "no index " + length + " in the GID table of " + device + " port 1: it has " + length, e.getMessage());
    }

    @Tag("connectx")
    @Test
    void shouldRefuseGidTableThatHasNoRoom() {
        var gids = new GidQueries(
                device.name(),
                context.handle(),
                new DeviceQueries(device.name(), context.handle(), context.ops(), context.lifetime()),
                context.lifetime());
        var e = assertThrows(VerbsException.class, () -> gids.table(1, 0));
        assertEquals(EINVAL, e.errno());
        assertEquals(context.gidTable(1), gids.table(1, context.gidTable(1).size()));
    }

    @Tag("connectx")
    @Test
    void shouldKnowNoNameOfNetworkDeviceThatIsNotThere() {
        var gid = Gid.of(new byte[Gid.BYTES]);
        assertTrue(new GidEntry(1, 0, gid, GidType.ROCE_V2, Integer.MAX_VALUE)
                .netdevName()
                .isEmpty());
        assertTrue(new GidEntry(1, 0, gid, GidType.IB, 0).netdevName().isEmpty());
        assertEquals(
                "lo", new GidEntry(1, 0, gid, GidType.ROCE_V2, 1).netdevName().orElseThrow());
    }

    @Tag("connectx")
    @Test
    void shouldReadTheClockThatTheDeviceHas() {
        if (context.extendedAttributes().coreClockKhz() == 0) {
            throw Features.unsupported("ibv_query_rt_values_ex", device + ", RAW_CLOCK", context::rawClock);
        }
        assertNotEquals(context.rawClock(), context.rawClock());
    }

    @Test
    void shouldResolveTheEthernetAddressOfGid() throws IOException {
        GidEntry own = context.defaultGid(1);
        EthernetAddress address = context.resolve(AddressVector.global(own, own.gid()));
        Path netdev = Path.of("/sys/class/net", own.netdevName().orElseThrow());
        assertEquals(read(netdev.resolve("address")), address.toString());
        assertEquals(OptionalInt.empty(), address.vlan());
    }

    @Test
    void shouldSayThatNobodyAnsweredForGid() {
        GidEntry own = context.defaultGid(1);
        byte[] nobody = own.gid().bytes();
        nobody[15] = (byte) (nobody[15] + 77);
        var path = AddressVector.global(own, Gid.of(nobody));
        var e = assertThrows(VerbsException.class, () -> context.resolve(path));
        assertEquals(EHOSTUNREACH, e.errno());
        assertTrue(e.getMessage().contains("no answer to ARP"), e.getMessage());
    }

    @Test
    void shouldRefuseToResolveWithoutGid() {
        assertThrows(IllegalArgumentException.class, () -> context.resolve(AddressVector.local(1, 1)));
        int unused = context.gidTable(1).getLast().index() + 1;
        Gid gid = context.defaultGid(1).gid();
        var path = AddressVector.global(new GidEntry(1, unused, gid, GidType.ROCE_V2, 0), gid);
        var e = assertThrows(VerbsException.class, () -> context.resolve(path));
        assertEquals(EINVAL, e.errno());
    }

    @Tag("connectx")
    @Test
    void shouldRefuseEveryQueryOfClosedDevice() {
        var path = AddressVector.global(
                context.defaultGid(1), context.defaultGid(1).gid());
        context.close();
        for (Runnable query : Arrays.<Runnable>asList(
                context::attributes,
                context::extendedAttributes,
                context::rawClock,
                () -> context.port(1),
                () -> context.gid(1, 0),
                () -> context.rawGid(1, 0),
                () -> context.gidTable(1),
                () -> context.pkey(1, 0),
                () -> context.pkeyIndex(1, 0xffff),
                () -> context.resolve(path))) {
            var e = assertThrows(IllegalStateException.class, query::run);
            assertEquals("DeviceContext(" + device + ") is closed", e.getMessage());
        }
    }
}
