// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Ports for servers that are started later. */
public final class FreePorts {

    private static final int LOWEST_PORT = 10_000;

    private static int lastPort; // 0 before the first

    private FreePorts() {}

    /**
     * A port of an address, a different one each time, that is free in TCP, and in RDMA, too, unless a test has taken
     * it. No client gets it before a server binds it.
     *
     * @param address the address
     * @return the port
     * @throws IOException if there is none
     */
    public static synchronized int free(InetAddress address) throws IOException {
        if (lastPort == 0) {
            lastPort = clientPorts();
        }
        while (true) {
            lastPort--;
            try (var socket = new ServerSocket(lastPort, 1, address)) {
                return socket.getLocalPort();
            } catch (BindException e) {
                if (lastPort <= LOWEST_PORT) {
                    throw e;
                }
            }
        }
    }

    /** Where the ports begin that the kernel gives to clients; or where they usually begin, if that leaves too few. */
    static int clientPorts() throws IOException {
        try (var file = Files.newBufferedReader(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))) {
            String range = file.readLine(); // in one read: some kernels return nothing for a second one
            int begin = Integer.parseInt(range.strip().split("\\s+", 2)[0]);
            return begin > 2 * LOWEST_PORT ? begin : 32_768;
        }
    }
}
