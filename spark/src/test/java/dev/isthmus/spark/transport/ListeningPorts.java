// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/** The addresses on which this process listens for TCP connections over IPv4, as {@code ss -ltnp} shows them. */
final class ListeningPorts {

    private static final String LISTENING = "0A";

    private ListeningPorts() {}

    static Set<InetSocketAddress> ofThisProcess() throws IOException {
        Set<String> own = sockets();
        var ports = new HashSet<InetSocketAddress>();
        for (String line : Files.readAllLines(Path.of("/proc/self/net/tcp"))) {
            String[] words = line.trim().split("\\s+", -1);
            if (words[3].equals(LISTENING) && own.contains("socket:[" + words[9] + "]")) {
                ports.add(address(words[1]));
            }
        }
        return ports;
    }

    /** Parses {@code 0100007F:A0B1}, whose first number is in the processor's byte order. */
    private static InetSocketAddress address(String text) throws IOException {
        String[] halves = text.split(":", 2);
        var bytes = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
        bytes.putInt(Integer.parseUnsignedInt(halves[0], 16));
        return new InetSocketAddress(InetAddress.getByAddress(bytes.array()), Integer.parseInt(halves[1], 16));
    }

    private static Set<String> sockets() throws IOException {
        var sockets = new HashSet<String>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                if (Files.isSymbolicLink(descriptor)) { // the one that lists them is closed by now
                    sockets.add(Files.readSymbolicLink(descriptor).toString());
                }
            }
        }
        return sockets;
    }
}
