// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import dev.isthmus.testbed.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What anybody can send to UCX's TCP ports: docs/ucx-faults.md, "Strangers at UCX's ports". */
@Tag("ucx")
@Tag("host")
class UcpStrangersTest {

    private static final String LISTENER = "listener";
    private static final String WORKER = "worker";
    private static final String ACCEPT = "accept";
    private static final String REJECT = "reject";

    /** How a JVM ends that an assertion of UCX has ended: by SIGABRT. */
    private static final int ABORTED = 134;

    /** Builds with assertions that end it. */
    private static final Set<String> WITH_ASSERTIONS = Set.of("1.13.1", "1.18.1");

    /** As tcp.h has it, in the order of the bytes. */
    private static final String MAGIC = "78563412bebafeca";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00", // and then no more
                "474554202f20485454502f312e310d0a486f73743a20780d0a0d0a", // GET / HTTP/1.1
                "1603010200010001fc0303 11*32", // a hello of TLS
                "40 00*79" // a header, and an address without anything in it
            })
    void shouldServeAfterWhatOthersSendToAListener(String bytes) {
        survive(run(LISTENER, bytes, ACCEPT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"00*17", "ff*16", "474554202f20485454502f312e310d0a0d0a"})
    void shouldServeAfterWhatOthersSendToAWorkersPort(String bytes) {
        survive(run(WORKER, bytes, ACCEPT));
    }

    @ParameterizedTest
    @CsvSource({
        LISTENER + ",00*17,cep->comm_ctx.offset <= cep->comm_ctx.length",
        LISTENER + ",ff*16,cep->comm_ctx.offset <= cep->comm_ctx.length",
        WORKER + "," + MAGIC + " 64 08 00*10,hdr->am_id == UCT_TCP_EP_CM_AM_ID",
        WORKER + "," + MAGIC + " 21 04 00*3 ff*4,hdr->length == sizeof(uct_tcp_ep_put_req_hdr_t)",
        WORKER + "," + MAGIC + " ff*32,hdr->length <= (iface->config.rx_seg_size - sizeof(*hdr))"
    })
    void shouldEndOnlyByTheAssertionsThatArePublished(String where, String bytes, String assertion) {
        ChildJvm.Result result = run(where, bytes, REJECT);
        if (WITH_ASSERTIONS.contains(UcxVersion.loaded().toString()) && result.status() == ABORTED) {
            assertTrue(result.output().contains("Assertion `" + assertion + "' failed"), result.output());
        } else {
            survive(result);
        }
    }

    /** UCX reads what a client has sent only when the program asks for the client's number, or accepts it. */
    @ParameterizedTest
    @ValueSource(strings = {"00*16", "40 00*15 ff*64", "40 00*79"})
    void shouldRejectStrangersUnread(String bytes) {
        survive(run(LISTENER, bytes, REJECT));
    }

    private static ChildJvm.Result run(String where, String bytes, String decision) {
        return new ChildJvm().options("--enable-native-access=ALL-UNNAMED").run(Child.class, where, bytes, decision);
    }

    private static void survive(ChildJvm.Result result) {
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("served\n"), result.output());
    }

    /** A server that a stranger sends bytes to, and then a client a message. */
    static final class Child implements AutoCloseable {

        private final UcpContext context =
                UcpContext.create(config -> config.set("TLS", "tcp,self").set("NET_DEVICES", "lo"));
        private final UcpWorker server = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(200)));
        private final List<Integer> portsOfServer = listening();
        private final UcpWorker client = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(200)));
        private final List<UcpEndpoint> accepted = new ArrayList<>();
        private final boolean accepts;
        private int strangers;
        private int strangerPort;

        private Child(boolean accepts) {
            this.accepts = accepts;
        }

        private void decide(UcpConnectionRequest request) {
            InetSocketAddress from = request.clientAddress().orElseThrow();
            if (from.getPort() != strangerPort) {
                accepted.add(request.accept());
                return;
            }
            strangers++;
            try {
                if (accepts) {
                    accepted.add(request.accept());
                } else {
                    request.reject();
                }
            } catch (UcxException e) {
                System.out.println(e.getMessage());
            }
        }

        private void meet(boolean atListener, byte[] bytes) throws IOException {
            InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            try (var listener = server.createListener(new InetSocketAddress(loopback, 0), this::decide);
                    var arena = Arena.ofShared();
                    var stranger = new Socket()) {
                stranger.bind(new InetSocketAddress(loopback, 0));
                strangerPort = stranger.getLocalPort();
                int port = atListener ? listener.address().getPort() : portsOfServer.getFirst();
                stranger.connect(new InetSocketAddress(loopback, port));
                stranger.getOutputStream().write(bytes);
                // UCX takes what comes to one port in the order in which it came.
                UcpEndpoint endpoint = atListener
                        ? client.createEndpoint(listener.address(), config -> {})
                        : client.createEndpoint(server.address());
                MemorySegment buffer = arena.allocate(8);
                long receive = server.tagReceive(buffer, 1);
                long send = endpoint.tagSend(buffer, 1);
                UcxTransports.until(() -> server.requests().isDone(receive), () -> {
                    client.progress();
                    server.progress();
                });
                UcxTransports.until(() -> client.requests().isDone(send), client::progress);
                System.out.println("strangers that were heard: " + strangers);
                endpoint.closeForcibly();
                accepted.forEach(UcpEndpoint::closeForcibly);
            }
        }

        /** The TCP ports of this process that listen. */
        private static List<Integer> listening() {
            try {
                Set<String> sockets = new HashSet<>();
                try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"), "*")) {
                    for (Path file : files) {
                        if (Files.exists(file)) { // the folder's own descriptor is gone by then
                            sockets.add(Files.readSymbolicLink(file).toString());
                        }
                    }
                }
                List<Integer> ports = new ArrayList<>();
                for (String line : Files.readAllLines(Path.of("/proc/net/tcp"), StandardCharsets.US_ASCII)) {
                    String[] fields = line.strip().split("\\s+", -1);
                    if (fields[3].equals("0A") && sockets.contains("socket:[" + fields[9] + "]")) {
                        ports.add(HexFormat.fromHexDigits(fields[1].replaceFirst(".*:", "")));
                    }
                }
                return ports;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            client.close();
            server.close();
            context.close();
        }

        /** Bytes in hexadecimal digits; an asterisk tells how often they come. */
        private static byte[] bytes(String text) {
            var digits = new StringBuilder();
            for (String part : text.split(" ", -1)) {
                String[] times = part.split("\\*", -1);
                digits.append(times[0].repeat(times.length == 1 ? 1 : Integer.parseInt(times[1])));
            }
            return HexFormat.of().parseHex(digits);
        }

        public static void main(String[] args) throws IOException {
            try (var child = new Child(args[2].equals(ACCEPT))) {
                child.meet(args[0].equals(LISTENER), bytes(args[1]));
            }
            System.out.println("served");
        }
    }
}
