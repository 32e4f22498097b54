// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.Hosts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a peer says of itself when it connects, or is connected to, is checked; if it is wrong, the peer is refused with
 * a reason.
 */
@Tag("device")
@Tag("iwarp")
class HostileHandshakeTest {

    private static Company company;

    @BeforeAll
    static void gather() throws Exception {
        company = new Company();
    }

    @AfterAll
    static void part() {
        company.close();
    }

    /** Each says something impossible. */
    @SuppressWarnings("ImmutableEnumChecker") // what it changes is not its own
    enum Lie {
        NOTHING("of rsocket", greeting -> greeting.length = 0), // on RoCE zeros come, and on iWARP nothing
        ANOTHER_VERSION("speaks version 2 of rsocket", greeting -> greeting.version = 2),
        NO_CREDITS("announced 0 credits", greeting -> greeting.credits = 0),
        NO_ROOM("a buffer of 0 bytes", greeting -> greeting.bufferBytes = 0),
        NEGATIVE_ROOM("a buffer of 4294967295 bytes", greeting -> greeting.bufferBytes = -1),
        TOO_MUCH_ROOM("a buffer of 536870912 bytes", greeting -> greeting.bufferBytes = 1 << 29),
        NO_TARGETS("has places for 0 parts", greeting -> greeting.targetCount = 0),
        MORE_TARGETS("has places for 3 parts", greeting -> greeting.targetCount = 3);

        private final String reason;
        private final Consumer<RawPeer.Greeting> change;

        Lie(String reason, Consumer<RawPeer.Greeting> change) {
            this.reason = reason;
            this.change = change;
        }

        private String reason() {
            return this == NOTHING && Hosts.isIwarp() ? "0 bytes of connection data" : reason;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseWhoeverConnectsAndLies(Lie lie) throws Exception {
        long before = company.logged(lie.reason());
        assertThrows(
                ConnectException.class,
                () -> RawPeer.connect(company.address(), lie.change).close());
        assertEquals(before + 1, company.logged(lie.reason()), lie::reason);
        assertNull(company.acceptNow());
        company.assertWell();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotConnectToWhoeverLies(Lie lie) throws Exception {
        try (var listener = new RawPeer.Listener(new InetSocketAddress(Hosts.far(), 0))) {
            CompletableFuture<Stream> connecting = Company.connect(listener.address());
            try (var peer = listener.accept(lie.change)) {
                var e = assertThrows(
                        ExecutionException.class, () -> connecting.get(TestDeadlines.seconds(60), TimeUnit.SECONDS));
                assertTrue(e.getCause() instanceof IOException, e::toString);
                assertTrue(e.getCause().getMessage().contains(lie.reason()), e::toString);
                assertTrue(peer.theirs().credits() > 0);
            }
        }
        company.assertWell();
    }

    @Test
    void shouldNoticeThatAPeerGoesAsSoonAsItIsThere() throws Exception {
        for (int i = 0; i < 10; i++) {
            RawPeer.connect(company.address(), greeting -> {}).close();
            Stream stream = company.accept();
            var e = assertThrows(
                    IOException.class,
                    () -> stream.read(
                            ByteBuffer.allocate(1),
                            Deadlines.after(TestDeadlines.ofSeconds(30).toMillis())));
            assertTrue(e.getMessage().startsWith("Connection reset"), e::toString);
            stream.close(true);
            stream.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        }
        company.assertWell();
    }
}
