// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Ports on which nobody listens, below those that the kernel gives to clients. RDMA has a port space of its own, in
 * which a connection that has just been closed may still have a port that is free in TCP's.
 */
public final class Ports {

    private static final Path RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int LOWEST = 10_000;
    private static final int DEFAULT_END = 32_768;
    private static final int ATTEMPTS = 1000;

    private static final Random RANDOM = new Random();

    private Ports() {}

    /** A port that is free at the moment on every address, because C's tools listen on all of them. */
    public static int free() throws IOException {
        return free(1).getFirst();
    }

    /** This many different ports. */
    public static List<Integer> free(int count) throws IOException {
        int end = end();
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int attempt = 0; sockets.size() < count; attempt++) {
                var socket = new ServerSocket();
                try {
                    socket.bind(new InetSocketAddress((InetAddress) null, RANDOM.nextInt(LOWEST, end)));
                    sockets.add(socket);
                } catch (BindException e) {
                    socket.close();
                    if (attempt > ATTEMPTS) {
                        throw e;
                    }
                }
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    /** Where the ports of clients begin, unless that leaves too few. */
    private static int end() throws IOException {
        String range;
        try (BufferedReader file =
                Files.newBufferedReader(RANGE)) { // in one read, because a second one would find nothing
            range = file.readLine();
        }
        int begin = Integer.parseInt(range.strip().split("\\s+", 2)[0]);
        return begin > LOWEST + ATTEMPTS ? begin : DEFAULT_END;
    }
}
