// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static dev.isthmus.netty.Pairs.awaitRelease;
import static dev.isthmus.netty.Pairs.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is copied, and what becomes of buffers that are not. */
@Tag("device")
@Tag("extended")
class ZeroCopyTest {

    private static final RdmaCounters COUNTERS = RdmaCounters.total();

    private final Pairs pairs = new Pairs(1);

    @AfterEach
    void close() {
        pairs.close();
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void shouldSendRegisteredBuffersWithoutACopy() throws Exception {
        var atServer = new Recorder();
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        byte[] all = random(500_000, 1);
        long copied = COUNTERS.copiedSentBytes();
        long sent = COUNTERS.sentBytes();
        List<ByteBuf> buffers = new ArrayList<>();
        int at = 0;
        for (int size : new int[] {1, 64, 65, 1000, 4096, 16_384, 65_536, 100_000}) {
            ByteBuf buffer = client.alloc().directBuffer(size).writeBytes(all, at, size);
            buffers.add(buffer);
            ChannelFuture _ = client.write(buffer);
            at += size;
        }
        ByteBuf parts = client.alloc().directBuffer(all.length - at).writeBytes(all, at, all.length - at);
        buffers.add(parts);
        ChannelFuture _ = client.write(parts.readRetainedSlice(77_777));
        client.writeAndFlush(parts.readRetainedSlice(parts.readableBytes())).sync();
        parts.release();
        assertArrayEquals(all, get(atServer.await(all.length)));
        assertEquals(0, COUNTERS.copiedSentBytes() - copied);
        assertEquals(all.length, COUNTERS.sentBytes() - sent);
        for (ByteBuf each : buffers) {
            awaitRelease(each);
        }
    }

    /** Its long parts go from where they are, the others together. */
    @Test
    void shouldSendTheLongRegisteredPartsOfACompositeBufferWithoutACopy() throws Exception {
        var atServer = new Recorder();
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        byte[] all = random(300_000, 5);
        CompositeByteBuf whole = client.alloc().compositeDirectBuffer();
        long copied = COUNTERS.copiedSentBytes();
        int[] sizes = {9, 20_000, 9, 5, 100_000, 3000, 70_000, 10, 4000, 102_967};
        boolean[] isHeap = {false, false, false, true, false, true, false, false, true, false};
        int wanted = 0;
        int at = 0;
        for (int i = 0; i < sizes.length; i++) {
            ByteBuf part = isHeap[i]
                    ? Unpooled.wrappedBuffer(all, at, sizes[i])
                    : client.alloc().directBuffer(sizes[i]).writeBytes(all, at, sizes[i]);
            whole.addComponent(true, part);
            wanted += isHeap[i] || sizes[i] < 1024 ? sizes[i] : 0;
            at += sizes[i];
        }
        whole.readerIndex(4);
        client.writeAndFlush(whole).sync();
        assertArrayEquals(Arrays.copyOfRange(all, 4, all.length), get(atServer.await(all.length - 4)));
        assertEquals(wanted - 4, COUNTERS.copiedSentBytes() - copied);
        awaitRelease(whole);
    }

    /** Its memory is not the pool's, and would stay registered. */
    @Test
    void shouldCopyWhatHasGrownBeyondThePool() throws Exception {
        var atServer = new Recorder();
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        long copied = COUNTERS.copiedSentBytes();
        byte[] all = random(1_500_000, 4);
        client.writeAndFlush(client.alloc().directBuffer(100).writeBytes(all)).sync();
        assertArrayEquals(all, get(atServer.await(all.length)));
        assertEquals(all.length, COUNTERS.copiedSentBytes() - copied);
    }

    @Test
    void shouldCountCopies() throws Exception {
        var atServer = new Recorder();
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        long copied = COUNTERS.copiedSentBytes();
        client.writeAndFlush(Unpooled.wrappedBuffer(random(3000, 2))).sync();
        client.writeAndFlush(Unpooled.directBuffer(3000).writeBytes(random(3000, 3)))
                .sync();
        get(atServer.await(6000));
        assertEquals(6000, COUNTERS.copiedSentBytes() - copied);
    }

    @Test
    void shouldReleaseHeldBuffersAtTheEnd() throws Exception {
        Channel server = pairs.listen(() -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.channel().config().setAutoRead(false);
            }
        });
        Channel client = pairs.connect(server, new Recorder());
        pairs.accepted();
        List<ByteBuf> buffers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ByteBuf buffer = client.alloc().directBuffer(30_000).writeBytes(random(30_000, i));
            buffers.add(buffer);
            ChannelFuture _ = client.writeAndFlush(buffer);
        }
        client.config().setOption(ChannelOption.SO_LINGER, 0); // else a peer that does not read has half a minute
        client.close().sync();
        for (ByteBuf each : buffers) {
            awaitRelease(each);
        }
    }

    @Test
    void shouldBehaveLikeAnyBuffer() {
        var random = new Random(7);
        ByteBuf one = RdmaByteBufAllocator.DEFAULT.directBuffer(0); // as TLS begins
        ByteBuf other = Unpooled.buffer(0);
        for (int i = 0; i < 3000; i++) { // grows over some classes
            switch (random.nextInt(7)) {
                case 0 ->
                    assertEquals(
                            other.writeLong(i * 7L).writerIndex(),
                            one.writeLong(i * 7L).writerIndex());
                case 1 ->
                    assertEquals(
                            other.writeMediumLE(i).writerIndex(),
                            one.writeMediumLE(i).writerIndex());
                case 2 ->
                    assertEquals(
                            other.writeIntLE(-i).writerIndex(),
                            one.writeIntLE(-i).writerIndex());
                case 3 ->
                    assertEquals(
                            other.writeShort(i).writerIndex(), one.writeShort(i).writerIndex());
                case 4 -> {
                    byte[] bytes = random(random.nextInt(100), i);
                    one.writeBytes(bytes);
                    ByteBuf foreign = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
                    other.writeBytes(foreign);
                    foreign.release();
                }
                case 5 -> {
                    int at = random.nextInt(one.writerIndex() + 1);
                    assertEquals(other.slice(at, other.writerIndex() - at), one.slice(at, one.writerIndex() - at));
                }
                default -> {
                    if (one.readableBytes() >= 8) {
                        assertEquals(other.readUnsignedMedium(), one.readUnsignedMedium());
                        assertEquals(other.readUnsignedMediumLE(), one.readUnsignedMediumLE());
                        assertEquals(other.readShortLE(), one.readShortLE());
                    }
                }
            }
        }
        assertEquals(other, one);
        assertEquals(other.nioBuffer(), one.nioBuffer());
        ByteBuf copy = one.copy();
        assertEquals(other, copy);
        copy.release();
        one.release();
        assertEquals(0, one.refCnt());
        ByteBuf next = RdmaByteBufAllocator.DEFAULT.directBuffer(20, 30);
        assertEquals(0, next.writerIndex());
        assertEquals(30, next.maxCapacity());
        next.release();
    }
}
