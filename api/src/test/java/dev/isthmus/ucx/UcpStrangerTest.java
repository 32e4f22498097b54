// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.ucx.UcxLibrary;
import dev.isthmus.testbed.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a process when a program that is no peer sends to its TCP ports: docs/ucx-faults.md. */
@Tag("ucx")
@Tag("host")
class UcpStrangerTest {

    private static final int DIES = 13;
    private static final int SURVIVES = 22;
    private static final String SURVIVED = "survived";

    @ParameterizedTest
    @CsvSource({
        "listener, 0000000000000000000000000000000000, tcp_sockcm_ep.c:825",
        "listener, ffffffffffffffffffffffffffffffff, tcp_sockcm_ep.c:825",
        "worker, 78563412bebafecaff04000000ffffffff, tcp_ep.c:1440",
        "worker, 78563412bebafeca2104000000ffffffff, tcp_ep.c:1422",
    })
    void shouldDieOfAStrangersBytesWhereThePageSaysSo(String port, String bytes, String assertion) {
        ChildJvm.Result result = new ChildJvm()
                .options("--enable-native-access=ALL-UNNAMED", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null")
                .run(Attacked.class, port, bytes);
        boolean died = result.output().contains(assertion);
        if (UcxLibrary.load()[1] == DIES) {
            assertTrue(died, result.output());
            assertNotEquals(0, result.status());
        } else if (UcxLibrary.load()[1] >= SURVIVES) {
            assertTrue(result.output().contains(SURVIVED), result.output());
            assertEquals(0, result.status());
        } else {
            assertTrue(died || result.output().contains(SURVIVED), result.output());
        }
    }

    static final class Attacked {

        private static final String LISTENS = "0A"; // in /proc/net/tcp
        private static final long NANOS = 2_000_000_000L;

        public static void main(String[] args) throws IOException {
            var context =
                    UcpContext.create(config -> config.set("TLS", "tcp,self").set("NET_DEVICES", "lo"));
            UcpWorker worker = context.createWorker();
            InetAddress here = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            int port = args[0].equals("worker")
                    ? portOfTheWorker()
                    : worker.createListener(new InetSocketAddress(here, 0), UcpConnectionRequest::reject)
                            .address()
                            .getPort();
            try (var stranger = new Socket(here, port)) {
                stranger.getOutputStream().write(HexFormat.of().parseHex(args[1]));
                long end = System.nanoTime() + NANOS; // nothing tells that UCX has read them
                while (System.nanoTime() < end) {
                    worker.progress();
                }
            }
            System.out.println(SURVIVED);
            Runtime.getRuntime().halt(0);
        }

        private static int portOfTheWorker() throws IOException {
            Set<String> sockets = new HashSet<>();
            try (var files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
                for (Path file : files) {
                    if (Files.isSymbolicLink(file)) {
                        sockets.add(Files.readSymbolicLink(file).toString());
                    }
                }
            }
            for (String line : Files.readAllLines(Path.of("/proc/net/tcp"))) {
                String[] part = line.strip().split(" +", -1);
                if (part[3].equals(LISTENS) && sockets.contains("socket:[" + part[9] + "]")) {
                    return HexFormat.fromHexDigits(part[1].split(":", -1)[1]);
                }
            }
            throw new IllegalStateException("the worker has no port");
        }
    }
}
