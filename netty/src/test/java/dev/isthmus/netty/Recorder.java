// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A handler that keeps what its channel reports. */
final class Recorder extends ChannelInboundHandlerAdapter {

    final CompletableFuture<Void> inactive = new CompletableFuture<>();
    final CompletableFuture<Throwable> caught = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<Object> events = new ArrayList<>();
    private int wanted = -1;
    private CompletableFuture<byte[]> received;

    /** Completes once so many bytes have arrived, counted from the first. */
    synchronized CompletableFuture<byte[]> await(int count) {
        wanted = count;
        received = new CompletableFuture<>();
        check();
        return received;
    }

    private void check() {
        if (received != null && bytes.size() >= wanted) {
            received.complete(bytes.toByteArray());
        }
    }

    /** Waits for an event of a user. */
    synchronized void awaitEvent(Object event) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Pairs.DEADLINE_SECONDS);
        while (!events.contains(event)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError(event + " does not come; these have: " + events);
            }
            wait(left);
        }
    }

    @Override
    public synchronized void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        ByteBuf buffer = (ByteBuf) message;
        buffer.readBytes(bytes, buffer.readableBytes());
        buffer.release();
        check();
    }

    @Override
    public synchronized void userEventTriggered(ChannelHandlerContext context, Object event) {
        events.add(event);
        notifyAll();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        inactive.complete(null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        caught.complete(cause);
    }
}
