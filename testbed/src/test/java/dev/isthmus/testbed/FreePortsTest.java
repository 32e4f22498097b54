// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server may bind a port some time after it was found free. */
@Tag("unit")
class FreePortsTest {

    @Test
    void shouldFindPortsThatNobodyElseGets() throws IOException {
        int end = FreePorts.clientPorts();
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            int port = FreePorts.free(InetAddress.getLoopbackAddress());
            assertTrue(port < end && ports.add(port), port + " of " + ports + ", below " + end);
        }
    }
}
