// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.netty.RdmaIoHandler;
import dev.isthmus.netty.RdmaServerSocketChannel;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;

/**
 * Sends back what clients send, with Netty. Two words decide that the channels use RDMA. The bytes are sent from where the
 * client has written them. Clients are the same as those of {@link SocketEcho}.
 */
public final class NettyEcho {

    private NettyEcho() {}

    /**
     * Needs an RDMA device. Runs until you end it.
     *
     * @param args the address and port to listen at
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String... args) throws InterruptedException {
        if (args.length < 2) {
            System.err.println("usage: NettyEcho ADDRESS PORT");
            System.exit(2);
        }
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory()); // NioIoHandler for TCP
        Channel server = listen(group, new InetSocketAddress(args[0], Integer.parseInt(args[1])));
        System.out.println("listening at " + server.localAddress());
        server.closeFuture().sync();
    }

    /** Listens until the channel is closed. */
    static Channel listen(EventLoopGroup group, InetSocketAddress address) throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class) // NioServerSocketChannel for TCP
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel client) {
                        client.pipeline().addLast(new Echo());
                    }
                })
                .bind(address)
                .sync()
                .channel();
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        private long bytes;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            bytes += ((ByteBuf) message).readableBytes();
            ChannelFuture _ = context.write(message, context.voidPromise()); // which releases it
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            System.out.println(bytes + " bytes");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            System.out.println(cause.getMessage());
            ChannelFuture _ = context.close();
        }
    }
}
