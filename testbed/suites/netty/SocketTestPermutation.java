// SPDX-License-Identifier: Apache-2.0
package io.netty.testsuite.transport.socket;

import dev.isthmus.netty.RdmaIoHandler;
import dev.isthmus.netty.RdmaServerSocketChannel;
import dev.isthmus.netty.RdmaSocketChannel;
import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;

/**
 * The transport that Netty's tests run on. Netty's own class of this name, which says NIO, comes later on the class path.
 */
public class SocketTestPermutation {

    static final SocketTestPermutation INSTANCE = new SocketTestPermutation();
    static final String BAD_HOST = "198.51.100.254"; // as Netty's
    static final int BAD_PORT = 65_535;

    private final EventLoopGroup bosses = group(2, "boss");
    private final EventLoopGroup workers = group(3, "worker");

    private static EventLoopGroup group(int threads, String name) {
        return new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory("testsuite-rdma-" + name, true), RdmaIoHandler.newFactory());
    }

    public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
        return List.of(combo(serverSocket().getFirst(), clientSocket().getFirst()));
    }

    private static <A extends AbstractBootstrap<?, ?>, B extends AbstractBootstrap<?, ?>>
            BootstrapComboFactory<A, B> combo(BootstrapFactory<A> server, BootstrapFactory<B> client) {
        return new BootstrapComboFactory<>() {
            @Override
            public A newServerInstance() {
                return server.newInstance();
            }

            @Override
            public B newClientInstance() {
                return client.newInstance();
            }
        };
    }

    public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socketWithFastOpen() {
        return socket(); // without it
    }

    public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
        return List.of(() -> new ServerBootstrap().group(bosses, workers).channel(RdmaServerSocketChannel.class));
    }

    public List<BootstrapFactory<Bootstrap>> clientSocket() {
        return List.of(() -> new Bootstrap().group(workers).channel(RdmaSocketChannel.class));
    }

    public List<BootstrapFactory<Bootstrap>> clientSocketWithFastOpen() {
        return clientSocket();
    }
}
