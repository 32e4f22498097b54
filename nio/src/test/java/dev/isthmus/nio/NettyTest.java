// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ConnectionTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Netty's servers and clients, and the JDK's HTTP client, unmodified: the one flag makes them use RDMA. */
@Tag("device")
@Tag("extended")
class NettyTest {

    @Test
    void shouldGoByRdmaByAFlag() {
        ChildJvm.Result result = new ChildJvm()
                .options(
                        "-Djava.nio.channels.spi.SelectorProvider=" + RdmaSelectorProvider.class.getName(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED")
                .run(Program.class);
        assertEquals(0, result.status(), result.output());
        String expected = "\necho: 16 connections by RDMA\nHTTP: 40 answers by RDMA\n";
        assertTrue(
                ("\n" + result.output()).endsWith(expected),
                result.output()); // after what the logger prints, if it does
    }

    /** It uses no class of this package. */
    static final class Program {

        private static final int CONNECTIONS = 16;
        private static final int BYTES = 300_000;
        private static final int REQUESTS = 40;

        private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());

        private Program() {}

        public static void main(String[] args) throws Exception {
            var program = new Program();
            try {
                program.echo();
                program.serveHttp();
            } finally {
                program.group.shutdownGracefully().sync();
            }
        }

        private Channel server(Consumer<ChannelPipeline> handlers) throws InterruptedException {
            return new ServerBootstrap()
                    .group(group)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(initializer(handlers))
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
        }

        private static ChannelHandler initializer(Consumer<ChannelPipeline> handlers) {
            return new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    handlers.accept(channel.pipeline());
                }
            };
        }

        private void echo() throws Exception {
            Channel server = server(pipeline -> pipeline.addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    ChannelFuture _ = context.write(message, context.voidPromise()); // a failure goes to the pipeline
                }

                @Override
                public void channelReadComplete(ChannelHandlerContext context) {
                    context.flush();
                }
            }));
            var clients = new ArrayList<Echoed>();
            for (int i = 0; i < CONNECTIONS; i++) {
                var client = new Echoed(i);
                clients.add(client);
                new Bootstrap()
                        .group(group)
                        .channel(NioSocketChannel.class)
                        .handler(initializer(pipeline -> pipeline.addLast(client)))
                        .connect(server.localAddress())
                        .sync();
            }
            for (Echoed client : clients) {
                client.done.get();
            }
            System.out.println("echo: " + clients.size() + " connections by " + wireOf(server));
            server.close().sync();
        }

        /** Sends bytes that are its own, in one go, and looks at what comes back. */
        private static final class Echoed extends SimpleChannelInboundHandler<ByteBuf> {

            private final byte[] bytes = new byte[BYTES];
            private final CompletableFuture<Void> done = new CompletableFuture<>();
            private int seen;

            Echoed(int number) {
                new Random(number).nextBytes(bytes);
            }

            @Override
            public void channelActive(ChannelHandlerContext context) {
                ChannelFuture _ = context.writeAndFlush(Unpooled.wrappedBuffer(bytes), context.voidPromise());
            }

            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                while (message.isReadable()) {
                    if (message.readByte() != bytes[seen++]) {
                        done.completeExceptionally(new AssertionError("byte " + (seen - 1)));
                    }
                }
                if (seen == bytes.length) {
                    done.complete(null);
                }
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                done.completeExceptionally(new AssertionError("closed after " + seen + " bytes"));
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                done.completeExceptionally(cause);
            }
        }

        private void serveHttp() throws Exception {
            Channel server = server(pipeline -> pipeline.addLast(
                    new HttpServerCodec(),
                    new HttpObjectAggregator(1 << 20),
                    new SimpleChannelInboundHandler<FullHttpRequest>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
                            var response = new DefaultFullHttpResponse(
                                    HttpVersion.HTTP_1_1,
                                    HttpResponseStatus.OK,
                                    request.content().retain());
                            HttpUtil.setContentLength(
                                    response, request.content().readableBytes());
                            ChannelFuture _ = context.writeAndFlush(response, context.voidPromise());
                        }
                    }));
            var address = (InetSocketAddress) server.localAddress();
            var uri = URI.create("http://127.0.0.1:" + address.getPort() + "/echo");
            try (HttpClient client =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
                var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
                for (int i = 0; i < REQUESTS; i++) {
                    answers.add(client.sendAsync(
                            HttpRequest.newBuilder(uri)
                                    .POST(HttpRequest.BodyPublishers.ofString(body(i)))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString()));
                }
                int right = 0;
                for (int i = 0; i < REQUESTS; i++) {
                    right += answers.get(i).get().body().equals(body(i)) ? 1 : 0;
                }
                System.out.println("HTTP: " + right + " answers by " + wireOf(server));
            }
            server.close().sync();
        }

        private static String body(int number) {
            return (number + " ").repeat(100 * number);
        }

        private static String wireOf(Channel server) throws IOException {
            return ConnectionTransport.at(((InetSocketAddress) server.localAddress()).getPort());
        }
    }
}
