// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static dev.isthmus.netty.Pairs.awaitRelease;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Peers that die, stop reading, or send nonsense. The channel fails, with a reason; buffers that its program keeps stay
 * as they are; no buffer is lost; another connection of the same event loop goes on.
 */
@Tag("device")
@Tag("extended")
class BadPeersTest {

    private final Leaks leaks = new Leaks();
    private final Pairs pairs = new Pairs(1);
    private final Recorder uninvolved = new Recorder();
    private final Keeper keeper = new Keeper();
    private final CompletableFuture<Throwable> caught = new CompletableFuture<>();
    private Channel client; // of the uninvolved connection
    private InetSocketAddress address; // of a server that keeps what it reads

    @BeforeEach
    void listen() throws InterruptedException {
        client = pairs.connect(pairs.listen(EchoHandler::new), uninvolved);
        pairs.accepted();
        address = (InetSocketAddress) pairs.listen(() -> new Failures()).localAddress();
    }

    /** Keeps reads and failures. */
    private final class Failures extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            keeper.channelRead(context, message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            caught.complete(cause);
        }
    }

    @AfterEach
    void close() throws Exception {
        keeper.take().forEach(ByteBuf::release);
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100])).sync();
        get(uninvolved.await(100));
        assertFalse(uninvolved.caught.isDone());
        pairs.close();
        leaks.close();
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static byte[] filled(int count, int with) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    private void awaitReset(Channel channel, String why) throws Exception {
        Throwable cause = get(caught);
        assertInstanceOf(IOException.class, cause);
        assertTrue(cause.getMessage().contains(why), cause.getMessage());
        assertTrue(channel.closeFuture().await(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void shouldKeepWhatWasReadFromAPeerThatThenBreaksARule() throws Exception {
        try (var peer = new RawPeer(address)) {
            Channel channel = pairs.accepted();
            peer.data(0, filled(5000, 1), 5000);
            keeper.await(5000);
            peer.data(5000, filled(1, 2), 1 << 28); // has no room for so many
            awaitReset(channel, "had room for");
            assertArrayEquals(filled(5000, 1), keptBytes());
        }
        assertArrayEquals(filled(5000, 1), keptBytes());
    }

    private byte[] keptBytes() throws IOException {
        List<ByteBuf> kept = keeper.take();
        byte[] bytes = Keeper.bytes(kept);
        kept.forEach(each -> keeper.channelRead(null, each)); // it goes on to keep them
        return bytes;
    }

    /** What such a peer can do to lent bytes is what docs/netty.md says, and no more. */
    @Test
    void shouldSurviveAPeerThatWritesToWhatItHasSent() throws Exception {
        try (var peer = new RawPeer(address)) {
            Channel channel = pairs.accepted();
            peer.data(0, filled(1000, 1), 1000);
            keeper.await(1000);
            peer.write(0, filled(1000, 2));
            peer.data(1000, filled(10, 3), 10); // comes after it
            keeper.await(1010);
            byte[] all = keptBytes();
            assertArrayEquals(filled(1000, 2), Arrays.copyOf(all, 1000));
            assertTrue(channel.isActive());
            peer.say(RawPeer.CONTROL, RawPeer.DISCONNECT);
            peer.disconnect();
            assertTrue(channel.closeFuture().await(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
        }
    }

    /** It fills what was granted, but the channel keeps its other blocks: that peer has their keys only when they are granted. */
    @Test
    void shouldGrantOtherMemoryWhileTheProgramKeepsTheFirst() throws Exception {
        try (var peer = new RawPeer(address)) {
            pairs.accepted();
            int half = peer.theirRoom();
            peer.data(0, filled(half, 1), half);
            keeper.await(half);
            peer.data(half, filled(half, 2), half); // that was granted behind it
            keeper.await(2L * half);
            byte[] all = keptBytes();
            assertArrayEquals(filled(half, 1), Arrays.copyOf(all, half));
            assertArrayEquals(filled(half, 2), Arrays.copyOfRange(all, half, 2 * half));
            peer.disconnect();
        }
        assertInstanceOf(IOException.class, get(caught));
    }

    @Test
    void shouldFailWhenAPeerSendsNonsense() throws Exception {
        try (var peer = new RawPeer(address)) {
            Channel channel = pairs.accepted();
            peer.say(3, 5);
            awaitReset(channel, "an unknown operation");
        }
    }

    @Test
    void shouldFailWhenAPeerDies() throws Exception {
        Channel channel;
        try (var peer = new RawPeer(address)) {
            channel = pairs.accepted();
            peer.data(0, filled(3000, 4), 3000);
            keeper.await(3000);
        }
        awaitReset(channel, "without a disconnect message");
        assertArrayEquals(filled(3000, 4), keptBytes());
    }

    /** The buffers that wait for room, and those that the device has, are released; their promises fail. */
    @Test
    void shouldReleaseWhatAPeerNeverRead() throws Exception {
        List<ByteBuf> buffers = new ArrayList<>();
        List<ChannelFuture> writes = new ArrayList<>();
        Channel channel;
        try (var peer = new RawPeer(address)) {
            channel = pairs.accepted();
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            for (int i = 0; i < 40; i++) {
                ByteBuf buffer = channel.alloc().directBuffer(10_000).writeZero(10_000);
                buffers.add(buffer);
                writes.add(channel.writeAndFlush(buffer));
            }
            channel.eventLoop().submit(() -> {}).sync();
            assertFalse(channel.isWritable());
            assertTrue(peer.theirRoom() > 0);
        }
        assertTrue(channel.closeFuture().await(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
        for (ChannelFuture each : writes) {
            assertTrue(each.await(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
            assertFalse(each.isSuccess());
        }
        for (ByteBuf each : buffers) {
            awaitRelease(each);
        }
        assertEquals(40, buffers.size());
    }
}
