// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Timetable;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.CompletableFuture;

/**
 * One end of one connection, written as programs on Netty are: each message is a {@code writeAndFlush}. A server
 * echoes, or counts what arrives and then answers with one byte. A client has one message under way, or as many as
 * Netty lets it write.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures of writes come to exceptionCaught, as their promises are void
final class NettyEnd extends ChannelInboundHandlerAdapter {

    private final NioJob job;
    private final boolean client;
    private final ByteBuf message;
    private final Trips trips = new Trips();
    private final Timetable timetable; // null except for a client at a fixed rate
    private final CompletableFuture<Measured> measured = new CompletableFuture<>();
    private long sent;
    private long received; // bytes of the current round trip, or of all messages
    private long back; // round trips
    private ChannelHandlerContext context;

    /** Creates an end. The message belongs to the caller. */
    NettyEnd(NioJob job, boolean client, ByteBuf message, Timetable timetable) {
        this.job = job;
        this.client = client;
        this.message = message;
        this.timetable = timetable;
    }

    /** The result, once it is over. */
    CompletableFuture<Measured> measured() {
        return measured;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** Starts a client; on any thread. */
    void begin() {
        context.executor().execute(() -> {
            trips.start();
            send();
        });
    }

    /** Closes a client that has finished. */
    ChannelFuture close() {
        return context.close();
    }

    /** Sets when a client's round trips begin. */
    void start(long nanos) {
        timetable.start(nanos);
    }

    /**
     * Begins a client's next round trip when it is due, or when Netty takes more; on a thread other than the
     * event loop's.
     */
    void beginNext() {
        boolean due = timetable.awaitNext();
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
        if (client && !isRoundTrip() && sent > 0) {
            send();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object read) {
        ByteBuf some = (ByteBuf) read;
        received += some.readableBytes();
        if (!client && isRoundTrip()) {
            ctx.write(some, ctx.voidPromise());
            return;
        }
        some.release();
        if (client) {
            came();
        } else if (received == job.iterations() * job.bytes()) {
            ctx.writeAndFlush(message.retainedSlice(0, 1), ctx.voidPromise());
        }
    }

    /** At a client: the byte that confirms that everything has arrived, or a part of a round trip. */
    private void came() {
        if (!isRoundTrip()) {
            trips.stamp();
            measured.complete(trips.measured());
        } else if (timetable != null) {
            for (; received >= job.bytes(); received -= job.bytes()) { // several may have arrived at once
                timetable.end();
            }
            if (timetable.isOver()) {
                measured.complete(Measured.trips(timetable));
            }
        } else if (received == job.bytes()) {
            received = 0;
            trips.stamp();
            if (++back == job.iterations()) {
                measured.complete(trips.measured());
            } else {
                write();
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!client && isRoundTrip()) {
            ctx.flush();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (client) {
            measured.completeExceptionally(NioJob.gone());
        } else {
            measured.complete(VerbsJob.NOTHING);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        measured.completeExceptionally(cause);
        ctx.close();
    }
}
