// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One end of one connection, written as programs on Netty are: each message is a {@code writeAndFlush}. A server
 * echoes, or counts what arrives and then answers with one byte. A client has one message under way, or as many as
 * Netty lets it write.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures of writes come to exceptionCaught, as their promises are void
final class NettyEnd extends ChannelInboundHandlerAdapter {

    private final Job job;
    private final ByteBuf message;
    private final Trips trips;
    private final Consumer<NettyEnd> heard;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private long sent;
    private long received; // bytes of the current round trip, or of all messages
    private long back; // round trips
    private ChannelHandlerContext context;

    /** Creates a client's end. The message belongs to the caller. */
    NettyEnd(Job job, int connection, ByteBuf message) {
        this(job, connection, message, one -> {});
    }

    /**
     * Creates a server's end. The message belongs to the caller.
     *
     * @param heard is given this end when its client first sends something; until then the client may give up
     */
    NettyEnd(Job job, int connection, ByteBuf message, Consumer<NettyEnd> heard) {
        this.heard = heard;
        this.job = job;
        this.message = message;
        trips = Trips.of(job, connection);
    }

    /** Done when everything has arrived and returned. */
    CompletableFuture<Void> over() {
        return over;
    }

    Trips trips() {
        return trips;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** Starts a client; on any thread. */
    void begin() {
        context.executor().execute(() -> {
            trips.start(System.nanoTime());
            send();
        });
    }

    /** Closes a client that has finished. */
    ChannelFuture close() {
        return context.close();
    }

    /**
     * Begins a client's next round trip when it is due, or when Netty takes more; on a thread other than the
     * event loop's.
     */
    void beginNext() {
        boolean due = trips.timetable().awaitNext();
        while (!context.channel().isWritable() && context.channel().isActive()) {
            Thread.onSpinWait();
        }
        if (due && context.channel().isActive()) {
            context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
        }
    }

    private boolean isRoundTrip() {
        return job.benchmark().isRoundTrip();
    }

    private void send() {
        if (isRoundTrip()) {
            write();
            return;
        }
        while (sent < job.iterations() && context.channel().isWritable()) {
            write();
        }
    }

    private void write() {
        sent++;
        context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (job.isClient() && !isRoundTrip() && sent > 0) {
            send();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object read) {
        ByteBuf some = (ByteBuf) read;
        if (!job.isClient() && received == 0) {
            heard.accept(this);
        }
        received += some.readableBytes();
        if (!job.isClient() && isRoundTrip()) {
            ctx.write(some, ctx.voidPromise());
            return;
        }
        some.release();
        if (job.isClient()) {
            arrived();
        } else if (received == job.iterations() * job.bytes()) {
            ctx.writeAndFlush(message.retainedSlice(0, 1), ctx.voidPromise());
        }
    }

    /** At a client: the byte that confirms that everything has arrived, or a part of a round trip. */
    private void arrived() {
        if (!isRoundTrip()) {
            over.complete(null);
        } else if (trips.isTimed()) {
            for (; received >= job.bytes(); received -= job.bytes()) { // several may have arrived at once
                trips.timetable().end();
            }
            if (trips.timetable().isOver()) {
                over.complete(null);
            }
        } else if (received == job.bytes()) {
            received = 0;
            trips.stamp();
            if (++back == job.iterations()) {
                over.complete(null);
            } else {
                write();
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!job.isClient() && isRoundTrip()) {
            ctx.flush();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (job.isClient()) {
            over.completeExceptionally(NioSockets.gone());
        } else {
            over.complete(null);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        over.completeExceptionally(cause);
        ctx.close();
    }
}
