// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Sockets of {@code java.net} over RDMA. Once they are installed, each {@link Socket} and {@link ServerSocket} of this JVM
 * decides by the rules of {@link RdmaSelectorProvider} whether it uses RDMA or TCP, when it is bound or connects. Those
 * over TCP are the JDK's own, and their reads and writes do not come by here. Those over RDMA own what a
 * {@link RdmaSocketChannel} owns, such as 256 KiB that are pinned, and call C as it does; close them, as they stay until
 * then. Thread-safe.
 */
public final class RdmaSockets {

    /** The system property that says so, for whoever looks at the JVM. */
    private static final String INSTALLED = "isthmus.nio.sockets";

    private RdmaSockets() {}

    /**
     * Installs them for all sockets that are created from now on, by {@link Socket#setSocketImplFactory} and
     * {@link ServerSocket#setSocketFactory}. Needs {@code --add-opens java.base/java.net=ALL-UNNAMED}, or
     * {@code =dev.isthmus.nio} on the module path. {@code -javaagent:isthmus-agent.jar} does all of this.
     *
     * @throws IOException if this JVM has other factories already
     * @throws IllegalStateException if the JVM lacks the option, which the message names
     * @throws IllegalArgumentException if a rule is malformed; the message says where it is, and what was expected
     */
    @SuppressWarnings("deprecation") // nothing else reaches a Socket that a program makes
    public static void install() throws IOException {
        SocketMethod.require();
        RdmaSelectorProvider provider = RdmaSelectorProvider.shared();
        Socket.setSocketImplFactory(() -> new SwitchedSocketImpl(provider));
        ServerSocket.setSocketFactory(() -> new SwitchedServerSocketImpl(provider));
        System.setProperty(INSTALLED, "true");
    }
}
