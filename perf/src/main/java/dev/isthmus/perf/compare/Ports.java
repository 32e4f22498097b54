// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** TCP ports that nobody listens on. */
final class Ports {

    private Ports() {}

    /** One that is free at the moment, on every address: C's tools listen on all of them. */
    static int free() throws IOException {
        return free(1).getFirst();
    }

    /** So many, each another one: asked for one by one, the kernel would now and then give one twice. */
    static List<Integer> free(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                var socket = new ServerSocket();
                sockets.add(socket);
                socket.bind(new InetSocketAddress((InetAddress) null, 0));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }
}
