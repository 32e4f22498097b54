// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;

/** The TCP connection of a test. Not thread-safe; every read has a deadline. */
final class PerftestConnection extends OutOfBandChannel {

    /** The port that perftest's programs use unless told otherwise. */
    static final int DEFAULT_PORT = 18515;

    /** This detects a vanished host during a long run. */
    private static final int KEEP_ALIVE_SECONDS = 10;

    private final Socket socket;

    private PerftestConnection(Socket socket, boolean client, String peer, Duration deadline) throws IOException {
        super(client, peer, deadline);
        this.socket = socket;
        // C reads a message with one read(): it must arrive whole, and at once.
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_SECONDS);
    }

    /** Connects to a server, which must be waiting already; each of its answers may take as long as connecting. */
    static PerftestConnection connect(String host, int port, Duration deadline) throws PerftestException {
        var address = new InetSocketAddress(host, port);
        String peer = host + ":" + port;
        if (address.isUnresolved()) {
            throw new PerftestException("unknown host " + host);
        }
        var socket = new Socket();
        try {
            socket.connect(address, millis(deadline));
            return new PerftestConnection(socket, true, peer, deadline);
        } catch (ConnectException e) {
            closeQuietly(socket);
            throw new PerftestException(
                    "no server at " + peer + ": start `isthmus perf TEST` or `ib_TEST` there first", e);
        } catch (IOException e) {
            closeQuietly(socket);
            throw new PerftestException("cannot connect to " + peer + ": " + e.getMessage(), e);
        }
    }

    /**
     * Waits for one client, and then stops listening.
     *
     * @param wait how long to wait for a client, zero for as long as it takes
     * @param deadline how long the client may take over each message
     * @param listening runs when clients can connect
     */
    static PerftestConnection accept(InetSocketAddress at, Duration wait, Duration deadline, Runnable listening)
            throws PerftestException {
        try (var listener = listen(at)) {
            listening.run();
            listener.setSoTimeout(millis(wait));
            Socket socket = listener.accept();
            String peer = socket.getInetAddress().getHostAddress() + ":" + socket.getPort();
            return new PerftestConnection(socket, false, peer, deadline);
        } catch (SocketTimeoutException e) {
            throw new PerftestException("no client connected to port " + at.getPort() + " within " + seconds(wait), e);
        } catch (PerftestException e) {
            throw e;
        } catch (IOException e) {
            throw new PerftestException("cannot wait for a client on port " + at.getPort() + ": " + e.getMessage(), e);
        }
    }

    private static ServerSocket listen(InetSocketAddress at) throws IOException {
        var listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(at, 1);
            return listener;
        } catch (BindException e) {
            listener.close();
            boolean everywhere = at.getAddress().isAnyLocalAddress();
            throw new PerftestException(
                    "cannot listen on " + (everywhere ? "" : at.getAddress().getHostAddress() + ", ") + "port "
                            + at.getPort() + ": " + e.getMessage()
                            + "; another test may be using it: -p chooses another port, on both ends"
                            + (everywhere ? "" : "; --listen takes an address of this host"),
                    e);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    @Override
    byte[] encode(PerftestDestination mine) {
        return ExchangeFormat.encodeDestination(mine);
    }

    @Override
    PerftestDestination decode(byte[] theirs, boolean withGid) {
        return ExchangeFormat.decodeDestination(theirs);
    }

    @Override
    void sendDone() {
        try {
            socket.getOutputStream().write(ExchangeFormat.DONE);
        } catch (IOException e) {
            // Nobody reads it, and a peer that has gone already has everything that matters.
        }
    }

    /** Closes this half, and reads until the peer has closed its own. */
    @Override
    void awaitPeerEnd(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        byte[] rest = new byte[ExchangeFormat.DONE.length];
        try {
            socket.shutdownOutput();
            while (awaitUntil(end) && socket.getInputStream().read(rest) >= 0) {
                // C's programs send nothing more
            }
        } catch (IOException e) {
            // It has gone, or its time is up: the figures are there.
        }
    }

    /** Sets the limit of the next read; returns false if the time is up. */
    private boolean awaitUntil(long end) throws IOException {
        long left = Math.ceilDiv(end - System.nanoTime(), 1_000_000L);
        if (left > 0) {
            socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
        }
        return left > 0;
    }

    @Override
    void write(byte[] message) throws PerftestException {
        try {
            socket.getOutputStream().write(message);
        } catch (IOException e) {
            throw new PerftestException("the peer at " + peer + " has closed the connection", e);
        }
    }

    @Override
    byte[] read(int length, Duration patience) throws PerftestException {
        byte[] message = new byte[length];
        long end = System.nanoTime() + patience.toNanos();
        int have = 0;
        try {
            while (have < length) {
                // Each read gets the remaining time, so a peer that sends in drips cannot extend it.
                if (!awaitUntil(end)) {
                    throw new SocketTimeoutException();
                }
                int n = socket.getInputStream().read(message, have, length - have);
                if (n < 0) {
                    throw new EOFException();
                }
                have += n;
            }
            return message;
        } catch (SocketTimeoutException e) {
            throw new PerftestException(
                    "the peer at " + peer + " sent " + have + " of " + length + " bytes within " + seconds(patience)
                            + received(message, have) + ": do both ends run the same test, and both use a GID index?",
                    e);
        } catch (IOException e) {
            throw new PerftestException(
                    "the peer at " + peer + " closed the connection after " + have + " of " + length + " bytes"
                            + received(message, have),
                    e);
        }
    }

    private static String received(byte[] message, int have) {
        return have == 0 ? "" : " (" + ExchangeFormat.printable(message, have) + ")";
    }

    private static int millis(Duration duration) {
        return Math.toIntExact(duration.toMillis());
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket never carried anything, so the failure that led here is the one to report.
        }
    }

    /** Closes the connection; what the peer still sends is lost. */
    @Override
    public void close() {
        closeQuietly(socket);
    }
}
