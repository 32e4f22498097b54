// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A handler that keeps the buffers that it gets. */
final class Keeper extends ChannelInboundHandlerAdapter {

    private final List<ByteBuf> kept = new ArrayList<>();
    private long bytes;

    @Override
    public synchronized void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        kept.add(buffer);
        bytes += buffer.readableBytes();
        notifyAll();
    }

    /** Waits until so many bytes have come, counted from the first. */
    synchronized void await(long count) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Pairs.DEADLINE_SECONDS);
        while (bytes < count) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError(bytes + " bytes have come, of " + count);
            }
            wait(left);
        }
    }

    /** Hands out the buffers that it keeps. */
    synchronized List<ByteBuf> take() {
        List<ByteBuf> all = new ArrayList<>(kept);
        kept.clear();
        return all;
    }

    /** The readable bytes of buffers. */
    static byte[] bytes(List<ByteBuf> buffers) throws IOException {
        var all = new ByteArrayOutputStream();
        for (ByteBuf each : buffers) {
            each.getBytes(each.readerIndex(), all, each.readableBytes());
        }
        return all.toByteArray();
    }
}
