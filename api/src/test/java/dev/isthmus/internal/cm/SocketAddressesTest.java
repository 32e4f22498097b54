// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.SocketAddresses;
import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SocketAddressesTest {

    private static InetSocketAddress copy(InetSocketAddress address) {
        try (Arena arena = Arena.ofConfined()) {
            return SocketAddresses.read(CmSocketAddresses.write(arena, address));
        }
    }

    @Test
    void shouldReadWhatItWrote() throws UnknownHostException {
        for (String ip : new String[] {"10.0.0.1", "255.255.255.255", "0.0.0.0", "::1", "2001:db8::ff00:42:8329"}) {
            for (int port : new int[] {0, 1, 255, 256, 7471, 65535}) {
                var address = new InetSocketAddress(InetAddress.getByName(ip), port);
                assertEquals(address, copy(address));
            }
        }
    }

    @Test
    void shouldKeepTheScopeOfALinkLocalAddress() throws UnknownHostException {
        byte[] bytes = InetAddress.getByName("fe80::1").getAddress();
        var copied = (Inet6Address) copy(new InetSocketAddress(Inet6Address.getByAddress(null, bytes, 7), 1))
                .getAddress();
        assertEquals(7, copied.getScopeId());
    }

    @Test
    void shouldSayThatALinkLocalAddressNeedsAScope() throws UnknownHostException {
        var bare = new InetSocketAddress(InetAddress.getByName("fe80::1"), 1);
        var e = assertThrows(IllegalArgumentException.class, () -> copy(bare));
        assertTrue(e.getMessage().contains("add a scope"), e.getMessage());
    }

    @Test
    void shouldRefuseANameThatWasNotResolved() {
        try (Arena arena = Arena.ofConfined()) {
            var name = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
            var e = assertThrows(IllegalArgumentException.class, () -> CmSocketAddresses.write(arena, name));
            assertTrue(e.getMessage().contains("nowhere.invalid"), e.getMessage());
        }
    }

    @Test
    void shouldReadNothingFromMemoryWithoutAFamily() {
        try (Arena arena = Arena.ofConfined()) {
            assertNull(SocketAddresses.read(arena.allocate(128, 8)));
        }
    }
}
