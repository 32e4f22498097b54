// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.OwnDevices;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a program sees when one of two devices, made for this test, is removed. The removing command returns when
 * nobody has the device open any more. librdmacm has it open as long as a process lives that makes connections, hence
 * the child.
 */
@Tag("device")
@Tag("extended")
class DeviceRemovalTest {

    private static final String NEAR = "198.18.77.1";
    private static final String FAR = "198.18.77.2";
    private static final String REMOVED = "isthmusrm1";
    private static final Duration DEADLINE = TestDeadlines.ofSeconds(60);

    /** Connects across the two devices, has one removed, and goes on as far as possible. */
    static final class Witness {

        public static void main(String... args) throws Exception {
            try (var meeting = new Rendezvous();
                    var listener = Listener.bind(new InetSocketAddress(Rendezvous.far(), 0))) {
                Rendezvous.Pair raw = meeting.connect();
                ConnectionId listening = raw.passive().listener();
                Task<Connection> connecting = Task.start(() -> Connector.connect(
                        listener.localAddress(),
                        DEADLINE,
                        setup -> setup.from(new InetSocketAddress(Rendezvous.near(), 0))));
                try (Connection there = listener.accept(DEADLINE);
                        Connection here = connecting.get()) {
                    long start = System.nanoTime();
                    new ProcessBuilder("rdma", "link", "delete", REMOVED)
                            .inheritIO()
                            .start();
                    meeting.expect(raw.passive(), CmEvent.DeviceRemoval.class);
                    meeting.expect(listening, CmEvent.DeviceRemoval.class);
                    tell("event of the removal", start);
                    assertEquals(
                            Failure.DEVICE_REMOVED, there.awaitEnd(DEADLINE).failure());
                    tell("own device removed: " + there.awaitEnd(DEADLINE).getMessage(), start);
                    assertEquals(Failure.DISCONNECTED, here.awaitEnd(DEADLINE).failure());
                    meeting.expect(raw.active(), CmEvent.Disconnected.class);
                    tell("the peer's removed: " + here.awaitEnd(DEADLINE).getMessage(), start);
                    var e = assertThrows(CmException.class, () -> listener.accept(DEADLINE));
                    assertEquals(Failure.DEVICE_REMOVED, e.failure());
                    assertThrows(CmException.class, raw.passive()::disconnect);
                    assertThrows(CmException.class, () -> listening.listen(1));
                    raw.passive().queuePair().close();
                    raw.passive().close();
                }
            }
            try (var after = new Rendezvous()) {
                ConnectionId id = after.id(PortSpace.TCP);
                var e = assertThrows(CmException.class, () -> id.bind(new InetSocketAddress(Rendezvous.far(), 0)));
                assertEquals(Failure.NO_DEVICE, e.failure());
            }
            System.out.println("all closed");
        }

        private static void tell(String what, long start) {
            System.out.println(what + ", after " + (System.nanoTime() - start) / 1_000_000 + " ms");
        }
    }

    @Test
    void shouldNameTheRemovalOfADeviceAndCloseWhatWasOnIt() throws IOException, InterruptedException {
        try (var devices = OwnDevices.up("isthmusrm", NEAR, FAR)) {
            ChildJvm.Result witness = new ChildJvm()
                    .under("env", "ISTHMUS_ADDRESSES=" + NEAR + " " + FAR)
                    .options("--enable-native-access=ALL-UNNAMED")
                    .deadline(TestDeadlines.ofSeconds(300))
                    .run(Witness.class);
            assertEquals(0, witness.status(), witness.output());
            System.out.print(witness.output());
            awaitRemoval(devices.second());
        }
    }

    /** The command has been waiting for the child's end. */
    private static void awaitRemoval(String device) throws InterruptedException {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (Files.exists(Path.of("/sys/class/infiniband", device))) {
            assertTrue(System.nanoTime() - end < 0, "the device is still there");
            Thread.sleep(20);
        }
    }
}
