// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.testbed.CProgram;
import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Peers in processes of their own, which print {@code ready}, then {@code connected}, and the result of their job. */
enum Peer {
    /** {@code peer.c} under librspreload.so. */
    C,
    /** The JDK's {@code java.net.Socket} under librspreload.so. */
    JDK_SOCKET,
    /** The JDK's {@code SocketChannel} under librspreload.so. */
    JDK_CHANNEL,
    /** This module's channel. */
    RDMA;

    private static final class Program {
        static final CProgram COMPILED = compile();

        private static CProgram compile() {
            try (InputStream source = Peer.class.getResourceAsStream("peer.c")) {
                CProgram program = CProgram.compile(new String(source.readAllBytes(), StandardCharsets.UTF_8));
                Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(program::close));
                return program;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** An address on which nobody listens. */
    static InetSocketAddress free() throws IOException {
        try (var server = RdmaServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(Hosts.far(), 0));
            return (InetSocketAddress) server.getLocalAddress();
        }
    }

    private static final Pattern TRANSIENT = Pattern.compile(
            "RDMA_CM_EVENT_CONNECT_ERROR, status -22$|; printed: .*(ETIMEDOUT|timed out)", Pattern.DOTALL);

    private static final int TRIES = 20;

    /** How often to look whether a program that should connect has ended. */
    private static final int LOOK_MILLIS = 1000;

    /** Something that begins with a connection to or from a peer that speaks by rsocket. */
    interface Connecting {
        void run() throws Exception;
    }

    /**
     * Runs the action. Over SoftiWARP it runs it again, with another peer, if the connect fails for a reason of its
     * own. With CONNECT_ERROR, status -22: rsocket grants room as soon as it has accepted, so its first message may
     * arrive in one piece with the answer of MPA, after which RFC 5044 allows nothing (siw_recv_mpa_rr). Or if the peer
     * has given up: SoftiWARP waits only ten seconds for the answer.
     */
    static void untilConnected(Connecting what) throws Exception {
        for (int tries = 1; ; tries++) {
            try {
                what.run();
                return;
            } catch (ConnectException e) {
                if (!Hosts.isIwarp()
                        || tries == TRIES
                        || !TRANSIENT.matcher(e.getMessage()).find()) {
                    throw e;
                }
                System.err.println("again: " + e);
            }
        }
    }

    /** Accepts a program's connection. Fails with what the program has printed if it ends without one. */
    static SocketChannel accept(RdmaServerSocketChannel server, ChildProgram client) throws IOException {
        server.socket().setSoTimeout(LOOK_MILLIS);
        while (true) {
            boolean running = client.isRunning();
            try {
                return server.socket().accept().getChannel();
            } catch (SocketTimeoutException e) {
                if (!running) {
                    var unconnected = new ConnectException("nobody has connected; printed: " + client.lines());
                    unconnected.initCause(e);
                    throw unconnected;
                }
            }
        }
    }

    private static String preload() {
        try (Stream<Path> folders = Files.list(Path.of("/usr/lib"))) {
            return Stream.concat(folders, Stream.of(Path.of("/usr/lib64")))
                    .map(folder -> folder.resolve("rsocket/librspreload.so"))
                    .filter(Files::exists)
                    .map(file -> "LD_PRELOAD=" + file)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("librspreload.so is missing: Debian has it in librdmacm1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts one that listens, and waits until it does. */
    ChildProgram listening(InetSocketAddress at, String job, long bytes) throws InterruptedException {
        ChildProgram listening = start("listen", at, job, bytes);
        listening.await("ready");
        return listening;
    }

    /** Starts one that connects. */
    ChildProgram connecting(InetSocketAddress at, String job, long bytes) {
        return start("connect", at, job, bytes);
    }

    /** Starts a peer in C that connects from an address. */
    static ChildProgram connecting(InetAddress from, InetSocketAddress at, String job, long bytes) {
        return C.start("connect", at, job, bytes, from.getHostAddress());
    }

    private ChildProgram start(String role, InetSocketAddress at, String job, long bytes, String... more) {
        String[] arguments = Stream.concat(
                        Stream.of(role, at.getAddress().getHostAddress(), "" + at.getPort(), job, "" + bytes),
                        Stream.of(more))
                .toArray(String[]::new);
        return switch (this) {
            case C ->
                new ChildProgram(Stream.concat(
                                Stream.of(
                                        "env",
                                        preload(),
                                        Program.COMPILED.executable().toString()),
                                Stream.of(arguments))
                        .toList());
            case JDK_SOCKET -> jvm("socket", arguments, List.of("env", preload()));
            case JDK_CHANNEL -> jvm("channel", arguments, List.of("env", preload()));
            case RDMA -> jvm("rdma", arguments, List.of());
        };
    }

    private static ChildProgram jvm(String kind, String[] arguments, List<String> under) {
        return new ChildProgram(new ChildJvm()
                .under(under.toArray(String[]::new))
                .options("--enable-native-access=ALL-UNNAMED", "-Djava.net.preferIPv4Stack=true")
                .command(
                        PeerProgram.class,
                        Stream.concat(Stream.of(kind), Stream.of(arguments)).toArray(String[]::new)));
    }
}
