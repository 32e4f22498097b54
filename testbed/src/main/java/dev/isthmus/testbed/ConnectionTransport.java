// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The transport of this process's connections, according to the kernel. */
public final class ConnectionTransport {

    private ConnectionTransport() {}

    /**
     * The transport of the connections at a port. Call it while they are open.
     *
     * @param port the server's port, on this machine
     * @return {@code RDMA} if this process has completion channels and no process uses TCP at the port; otherwise what
     *     there is instead
     */
    public static String at(int port) throws IOException {
        List<String> tcp = tcp(port);
        if (!tcp.isEmpty()) {
            return "TCP: " + tcp;
        }
        return completionChannels() > 0 ? "RDMA" : "neither TCP nor RDMA";
    }

    /**
     * The kernel's lines on TCP at a port, at either end.
     *
     * @param port the port
     * @return the lines; empty if no process uses TCP there
     */
    public static List<String> tcp(int port) throws IOException {
        String end = String.format(Locale.ROOT, ":%04X ", port);
        try (Stream<String> four = Files.lines(Path.of("/proc/net/tcp"));
                Stream<String> six = Files.lines(Path.of("/proc/net/tcp6"))) {
            return Stream.concat(four, six).filter(line -> line.contains(end)).toList();
        }
    }

    private static int completionChannels() throws IOException {
        int count = 0;
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                count += isCompletionChannel(descriptor) ? 1 : 0;
            }
        }
        return count;
    }

    private static boolean isCompletionChannel(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals("anon_inode:[infinibandevent]");
        } catch (NoSuchFileException e) {
            return false; // closed since it was listed
        }
    }
}
