// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.verbs.QueuePairType;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device") // librdmacm looks nothing up where there is no device
class AddressInfoTest {

    @Test
    void shouldFindNumericAddresses() {
        AddressInfo peer = AddressInfo.toConnect("10.0.0.2", "7471", PortSpace.TCP);
        assertEquals(new InetSocketAddress("10.0.0.2", 7471), peer.destination());
        assertNull(peer.source());
        assertEquals(PortSpace.TCP, peer.portSpace());
        assertEquals(QueuePairType.RC, peer.queuePairType());
        AddressInfo here = AddressInfo.toListen(null, "7", PortSpace.UDP);
        assertEquals(7, here.source().getPort());
        assertNull(here.destination());
        assertEquals(QueuePairType.UD, here.queuePairType());
        InetSocketAddress v6 = AddressInfo.toConnect("::1", "9", PortSpace.TCP).destination();
        assertEquals("0:0:0:0:0:0:0:1", v6.getAddress().getHostAddress());
    }

    @Test
    void shouldSayThatThereIsNoSuchService() {
        var e = assertThrows(
                CmException.class, () -> AddressInfo.toConnect("10.0.0.2", "no-such-service", PortSpace.TCP));
        assertEquals("rdma_getaddrinfo", e.call());
        assertEquals(Failure.UNREACHABLE, e.failure());
        assertThrows(IllegalArgumentException.class, () -> AddressInfo.toListen(null, "1", PortSpace.UNKNOWN));
    }
}
