// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.bindings.ibverbs.ibv_ah_attr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class AddressVectorTest {

    private static Gid gid(String address) {
        try {
            return Gid.of(InetAddress.getByName(address));
        } catch (UnknownHostException e) {
            throw new AssertionError(address, e);
        }
    }

    private static final GidEntry LOCAL = new GidEntry(1, 3, gid("10.0.0.1"), GidType.ROCE_V2, 0);

    @Test
    void shouldReadBackWhatItWrites() {
        var vector = AddressVector.global(LOCAL, gid("10.0.0.2"))
                .withHopLimit(200)
                .withTrafficClass(201)
                .withFlowLabel(0xf_1234)
                .withDlid(0xfffe)
                .withServiceLevel(15)
                .withSrcPathBits(100)
                .withStaticRate(Rate.of(10));
        try (var arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ibv_ah_attr.layout());
            assertNull(AddressVector.read(attributes));
            vector.write(attributes);
            var copy = AddressVector.read(attributes);
            assertEquals(vector, copy);
            assertEquals(vector.hashCode(), copy.hashCode());
            assertEquals(3, copy.sgidIndex());
            assertEquals(gid("10.0.0.2"), copy.dgid());
            assertEquals(200, copy.hopLimit());
            assertEquals(201, copy.trafficClass());
            assertEquals(0xf_1234, copy.flowLabel());
            assertEquals(0xfffe, copy.dlid());
            assertEquals(15, copy.serviceLevel());
            assertEquals(100, copy.srcPathBits());
            assertEquals(Rate.of(10), copy.staticRate());
            assertNotEquals(vector, vector.withStaticRate(Rate.MAX));
        }
    }

    @Test
    void shouldLeaveTheGidOutOfAWayByLid() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ibv_ah_attr.layout());
            AddressVector.local(2, 77).write(attributes);
            var copy = AddressVector.read(attributes);
            assertNull(copy.dgid());
            assertEquals(2, copy.port());
            assertEquals(77, copy.dlid());
        }
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        var vector = AddressVector.local(1, 1);
        assertThrows(IllegalArgumentException.class, () -> AddressVector.local(0, 1));
        assertThrows(IllegalArgumentException.class, () -> AddressVector.local(1, 0x10000));
        assertThrows(IllegalArgumentException.class, () -> vector.withHopLimit(256));
        assertThrows(IllegalArgumentException.class, () -> vector.withTrafficClass(-1));
        assertThrows(IllegalArgumentException.class, () -> vector.withFlowLabel(1 << 20));
        assertThrows(IllegalArgumentException.class, () -> vector.withServiceLevel(16));
        assertThrows(IllegalArgumentException.class, () -> vector.withSrcPathBits(128));
        assertThrows(IllegalArgumentException.class, () -> vector.withStaticRate(Rate.UNKNOWN));
        assertThrows(IllegalArgumentException.class, () -> vector.withDlid(-1));
    }

    @Test
    void shouldKnowMulticastGids() {
        assertTrue(gid("224.0.0.1").isMulticast());
        assertTrue(gid("239.255.255.255").isMulticast());
        assertTrue(gid("ff0e::1").isMulticast());
        assertFalse(gid("10.0.0.1").isMulticast());
        assertFalse(gid("fe80::1").isMulticast());
    }

    @Test
    void shouldWriteEthernetAddressWithItsVlan() {
        byte[] mac = {(byte) 0xc2, 0, 1, 2, 3, (byte) 0xff};
        assertEquals("c2:00:01:02:03:ff", EthernetAddress.of(mac, 0xffff).toString());
        assertEquals("c2:00:01:02:03:ff vlan 5", EthernetAddress.of(mac, 5).toString());
        assertNotEquals(EthernetAddress.of(mac, 0xffff), EthernetAddress.of(mac, 5));
        assertEquals(0xc200_0102_03ffL, EthernetAddress.of(mac, 5).mac());
    }
}
