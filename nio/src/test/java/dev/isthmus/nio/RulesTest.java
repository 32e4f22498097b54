// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class RulesTest {

    private static final Rules RULES = Rules.of("file", """
            # where services are
            connect 10.0.0.0/8      7000-7999
            connect 10.1.2.3        *          # all of that one

            \tconnect fd00::/9 443
            connect localhost 80
            bind    *               8080 tcp
            bind    10.0.0.1 *
            bind    0.0.0.0/0  9000
            connect 10.0.0.2   6379 valkey
            connect 10.1.2.3   6379 valkey
            bind    *          6380 valkey
            """.lines().toList());

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0, 7000, RDMA",
        "10.255.255.255, 7999, RDMA",
        "11.0.0.0, 7000, TCP",
        "9.255.255.255, 7000, TCP",
        "10.1.2.4, 6999, TCP",
        "10.1.2.4, 8000, TCP",
        "10.1.2.3, 1, RDMA",
        "10.1.2.3, 65535, RDMA",
        "fd7f::1, 443, RDMA",
        "fd80::1, 443, TCP",
        "fd00::1, 444, TCP",
        "127.0.0.1, 80, RDMA",
        "10.0.0.2, 6379, VALKEY",
        "10.0.0.2, 6380, TCP",
        "10.1.2.3, 6379, VALKEY",
    })
    void shouldSayHowToConnect(String host, int port, Rules.TransportChoice way) throws IOException {
        assertEquals(way, RULES.connect(new InetSocketAddress(host, port)));
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 8080, BOTH",
        "fd00::1, 8080, BOTH",
        "10.0.0.1, 8080, BOTH",
        "10.0.0.1, 0, RDMA",
        "10.0.0.2, 0, TCP",
        "0.0.0.0, 9000, RDMA",
        "0.0.0.0, 6380, VALKEY",
        "10.0.0.1, 6380, VALKEY",
        "::1, 9000, TCP",
        "10.1.2.3, 7000, TCP",
    })
    void shouldSayHowToListen(String host, int port, Rules.TransportChoice way) throws IOException {
        assertEquals(way, RULES.bind(new InetSocketAddress(host, port)));
    }

    /** With that property, the JDK refuses addresses of IPv6, and its own sockets say so. */
    @Test
    void shouldLeaveIpv6ToAJdkThatDoesWithout() {
        ChildJvm.Result result =
                new ChildJvm().options("-Djava.net.preferIPv4Stack=true").run(WithoutIpv6.class);
        assertEquals(0, result.status(), result.output());
    }

    /** Throws if an address of IPv6 is chosen for RDMA. */
    static final class WithoutIpv6 {

        private WithoutIpv6() {}

        public static void main(String... args) throws IOException {
            assertEquals(Rules.TransportChoice.TCP, RULES.connect(new InetSocketAddress("fd7f::1", 443)));
            assertEquals(Rules.TransportChoice.TCP, RULES.bind(new InetSocketAddress("fd00::1", 8080)));
            assertEquals(Rules.TransportChoice.RDMA, RULES.bind(new InetSocketAddress("0.0.0.0", 9000)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "listen 10.0.0.1 80 | this is not a rule",
                "bind 10.0.0.1 | this is not a rule",
                "bind | this is not a rule",
                "connect 10.0.0.1 80 tcp | this is not a rule",
                "bind 10.0.0.1 80 udp | this is not a rule",
                "bind 10.0.0.1 80 tcp too | this is not a rule",
                "connect 10.0.0.1 80 valkey too | this is not a rule",
                "bind 10.0.0.1/33 80 | \"33\" is not a prefix of /10.0.0.1, 0 to 32",
                "bind 10.0.0.1/ 80 | \"\" is not a prefix of /10.0.0.1, 0 to 32",
                "bind fd00::/129 80 | \"129\" is not a prefix of /fd00:0:0:0:0:0:0:0, 0 to 128",
                "bind 10.0.0.1 65536 | \"65536\" is not a port, 0 to 65535",
                "bind 10.0.0.1 99999999999 | \"99999999999\" is not a port, 0 to 65535",
                "bind 10.0.0.1 -1 | \"\" is not a port, 0 to 65535",
                "bind 10.0.0.1 http | \"http\" is not a port, 0 to 65535",
                "bind 10.0.0.1 80-79 | the first port is above the last",
                "bind 10.0.0.1 80-90-99 | \"90-99\" is not a port, 0 to 65535",
                "bind 10.0.0.256 80 | there is no host 10.0.0.256",
                "bind /8 80 | the address is missing",
            })
    void shouldSayWhatIsWrongAndWhere(String case_) {
        String[] parts = case_.split(" \\| ", 2);
        var e = assertThrows(
                IllegalArgumentException.class, () -> Rules.of("r.conf", List.of("# rules", "bind * *", parts[0])));
        String expected = "r.conf:3: \"" + parts[0] + "\": " + parts[1] + "; expected \"bind ADDRESS PORT\"";
        assertTrue(e.getMessage().startsWith(expected), e.getMessage());
    }

    @Test
    void shouldTakeBothWhenOneOfItsRulesSaysSo() throws IOException {
        for (List<String> lines :
                List.of(List.of("bind * 80", "bind * 80 tcp"), List.of("bind * 80 tcp", "bind * 80"))) {
            assertEquals(
                    Rules.TransportChoice.BOTH, Rules.of("file", lines).bind(new InetSocketAddress("10.0.0.1", 80)));
        }
    }
}
