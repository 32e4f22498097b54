// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class AddressesTest {

    /** It must not pass for a machine that has no device. */
    @Test
    void shouldComplainAboutALoopbackAddressThatIsNone() {
        ChildJvm.Result result = new ChildJvm()
                .options("-Disthmus.nio.loopback=[", "--enable-native-access=ALL-UNNAMED")
                .run(Program.class);
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("java.net.UnknownHostException: ["), result.output());
    }

    /** Asks whether a device carries the loopback address. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws Exception {
            try {
                System.out.println(Addresses.isCarriedAt(InetAddress.getLoopbackAddress()));
            } catch (UnknownHostException e) {
                System.out.println(e);
            }
        }
    }
}
