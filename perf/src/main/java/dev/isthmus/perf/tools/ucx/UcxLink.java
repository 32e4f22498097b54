// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.tools.PerftestException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/**
 * The TCP connection between the ends of a test, and {@code ucx_perftest}'s exchange on it. Never blocks forever: each
 * wait has a limit or notices that the peer has gone.
 */
final class UcxLink implements AutoCloseable {

    /** How long a peer may take for each message before a test begins. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** This detects a vanished host while the ends have nothing to say to each other. */
    private static final int KEEP_ALIVE_SECONDS = 10;

    private static final int MAGIC = 0xdeadbeef;

    /** Enough for the longest message: a test with the sizes of all parts. */
    private static final int BUFFER = 1 << 14;

    private static final long NAP_NANOS = 50_000;

    private final SocketChannel channel;
    private final String peer;
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
    private long quietSince = System.nanoTime();
    private boolean ended;

    UcxLink(SocketChannel channel) throws IOException {
        this.channel = channel;
        this.peer = channel.getRemoteAddress().toString().replaceFirst("^.*/", "");
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_SECONDS);
        channel.configureBlocking(false);
        in.flip();
    }

    /** Connects to a server. */
    static UcxLink connect(InetSocketAddress server) throws IOException {
        if (server.isUnresolved()) {
            throw new PerftestException("unknown host " + server.getHostString());
        }
        SocketChannel channel = SocketChannel.open();
        try {
            channel.socket().connect(server, (int) PATIENCE.toMillis());
            return new UcxLink(channel);
        } catch (IOException e) {
            channel.close();
            throw new PerftestException(
                    "no server at " + server.getHostString() + " port " + server.getPort() + ": " + e.getMessage(), e);
        }
    }

    /** Listens; close this when the client has connected. */
    static ServerSocketChannel listen(InetSocketAddress at) throws IOException {
        if (at.isUnresolved()) {
            throw new PerftestException("unknown host " + at.getHostString());
        }
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(at);
            return server;
        } catch (IOException e) {
            server.close();
            throw new PerftestException(
                    "cannot listen on " + at.getHostString() + " port " + at.getPort() + ": " + e.getMessage(), e);
        }
    }

    /** Pauses in a wait for a message before UCX is ready. */
    private static void nap() {
        LockSupport.parkNanos(NAP_NANOS);
    }

    /** Who is at the other end. */
    String peer() {
        return peer;
    }

    void send(byte[] bytes) throws IOException {
        out.clear().put(bytes).flip();
        write(UcxLink::nap);
    }

    byte[] receive(int count) throws IOException {
        await(count, UcxLink::nap, true);
        byte[] bytes = new byte[count];
        in.get(bytes);
        return bytes;
    }

    /** Sends bytes, preceded by their length. */
    void sendSized(byte[] bytes) throws IOException {
        out.clear().putLong(bytes.length).put(bytes).flip();
        write(UcxLink::nap);
    }

    /** Receives bytes that are preceded by their length. */
    byte[] receiveSized(int atMost) throws IOException {
        await(Long.BYTES, UcxLink::nap, true);
        long length = in.getLong();
        if (length < 1 || length > atMost) {
            throw new PerftestException(
                    peer + " announces " + length + " bytes instead of 1 to " + atMost + ": it is not a ucx_perftest");
        }
        return receive((int) length);
    }

    /** Exchanges statuses; returns theirs unless it is 0, otherwise mine. */
    int exchangeStatus(int mine) throws IOException {
        sendSized(new byte[] {(byte) mine});
        int theirs = receiveSized(1)[0];
        return theirs == 0 ? mine : theirs;
    }

    /** Returns when the peer gets here, too; progresses meanwhile. */
    void barrier(Runnable progress, boolean limited) throws IOException {
        out.clear().putInt(MAGIC).flip();
        write(progress);
        await(Integer.BYTES, progress, limited);
        int said = in.getInt();
        if (said != MAGIC) {
            throw new PerftestException(peer + " has said " + Integer.toHexString(said)
                    + " where both ends wait for each other: it is not a ucx_perftest, or runs another test");
        }
    }

    private void write(Runnable progress) throws IOException {
        touch();
        while (out.hasRemaining()) {
            if (channel.write(out) == 0) {
                progress.run();
                checkSilence(true);
            }
        }
    }

    private void await(int count, Runnable progress, boolean limited) throws IOException {
        touch();
        while (in.remaining() < count) {
            if (read() == 0) {
                progress.run();
                checkSilence(limited);
            }
            if (ended && in.remaining() < count) {
                throw gone();
            }
        }
    }

    private int read() throws IOException {
        in.compact();
        try {
            int count = in.hasRemaining() ? channel.read(in) : 0;
            ended |= count < 0;
            return Math.max(count, 0);
        } catch (IOException e) {
            throw new PerftestException(peer + " has gone: " + e.getMessage(), e);
        } finally {
            in.flip();
        }
    }

    /** Something has happened: the peer's time of silence starts again. */
    void touch() {
        touch(System.nanoTime());
    }

    /** It happened at this time: the peer's time of silence starts again. */
    void touch(long nanos) {
        quietSince = nanos;
    }

    /** Throws if the peer has gone, or has been silent for too long. */
    void checkPeer(boolean limited) throws IOException {
        read();
        // It may have ended properly, with its last bytes still on their way, here or in UCX.
        if (ended && !in.hasRemaining()) {
            throw gone();
        }
        checkSilence(limited);
    }

    private void checkSilence(boolean limited) throws IOException {
        if (limited && System.nanoTime() - quietSince > PATIENCE.toNanos()) {
            throw new PerftestException("nothing from " + peer + " for " + PATIENCE.toSeconds() + " s");
        }
    }

    private PerftestException gone() {
        return new PerftestException(peer + " has ended before the test did; its output says why");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
