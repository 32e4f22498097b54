package dev.isthmus.perf.perftest;

import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * The TCP connection of a test, and the one move that its protocol knows: both ends send a message of the same
 * length, the client first. Not thread-safe; every read has a deadline.
 */
public final class PerftestConnection implements AutoCloseable {

    /** The port that perftest's programs use unless told otherwise. */
    public static final int DEFAULT_PORT = 18515;

    /** How long a peer may take over one message. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(10);

    private final Socket socket;
    private final boolean client;
    private final String peer;
    private final Duration deadline;

    private PerftestConnection(Socket socket, boolean client, String peer, Duration deadline) throws IOException {
        this.socket = socket;
        this.client = client;
        this.peer = peer;
        this.deadline = deadline;
        // C reads a message with one read(): it must arrive whole, and at once.
        socket.setTcpNoDelay(true);
    }

    /**
     * Connects to a server, which must be waiting already.
     *
     * @param host its name or address
     * @param port its port
     * @param deadline how long it may take to connect, and then to answer each message
     * @return the client's end
     * @throws PerftestException if nobody is there
     */
    public static PerftestConnection connect(String host, int port, Duration deadline) throws PerftestException {
        var address = new InetSocketAddress(host, port);
        String peer = host + ":" + port;
        if (address.isUnresolved()) {
            throw new PerftestException("no host is called " + host);
        }
        var socket = new Socket();
        try {
            socket.connect(address, millis(deadline));
            return new PerftestConnection(socket, true, peer, deadline);
        } catch (ConnectException e) {
            closeQuietly(socket);
            throw new PerftestException(
                    "no server at " + peer + ": start `isthmus perf send_lat` or `ib_send_lat` there first", e);
        } catch (IOException e) {
            closeQuietly(socket);
            throw new PerftestException("cannot connect to " + peer + ": " + e.getMessage(), e);
        }
    }

    /**
     * Waits for one client and then no longer listens.
     *
     * @param port the port to listen on
     * @param wait how long to wait for a client, zero for as long as it takes
     * @param deadline how long the client may take over each message
     * @return the server's end
     * @throws PerftestException if the port is taken or nobody came
     */
    public static PerftestConnection accept(int port, Duration wait, Duration deadline) throws PerftestException {
        try (var listener = listen(port)) {
            listener.setSoTimeout(millis(wait));
            Socket socket = listener.accept();
            String peer = socket.getInetAddress().getHostAddress() + ":" + socket.getPort();
            return new PerftestConnection(socket, false, peer, deadline);
        } catch (SocketTimeoutException e) {
            throw new PerftestException("no client came to port " + port + " within " + seconds(wait), e);
        } catch (PerftestException e) {
            throw e;
        } catch (IOException e) {
            throw new PerftestException("cannot wait for a client on port " + port + ": " + e.getMessage(), e);
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        var listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(port), 1);
            return listener;
        } catch (BindException e) {
            listener.close();
            throw new PerftestException(
                    "cannot listen on port " + port + ": " + e.getMessage()
                            + "; another test may be using it, -p chooses another port on both ends",
                    e);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /**
     * Whether this is the client's end, which writes first here and sends first in a run.
     *
     * @return false for the server
     */
    public boolean isClient() {
        return client;
    }

    /**
     * The other end, for messages.
     *
     * @return host and port
     */
    public String peer() {
        return peer;
    }

    /**
     * Sends a message and receives the peer's of the same length, or the other way round on the server.
     *
     * @param mine what to send
     * @return what the peer sent, not looked at yet
     * @throws PerftestException if the peer is gone, too slow, or sent less
     */
    byte[] exchange(byte[] mine) throws PerftestException {
        if (client) {
            write(mine);
            return read(mine.length);
        }
        byte[] theirs = read(mine.length);
        write(mine);
        return theirs;
    }

    /** Sends a message that has no answer. */
    void write(byte[] message) throws PerftestException {
        try {
            socket.getOutputStream().write(message);
        } catch (IOException e) {
            throw new PerftestException("the peer at " + peer + " has closed the connection", e);
        }
    }

    private byte[] read(int length) throws PerftestException {
        byte[] message = new byte[length];
        long end = System.nanoTime() + deadline.toNanos();
        int have = 0;
        try {
            while (have < length) {
                // Each read gets what is left, so that a peer that drips does not extend it.
                long left = Math.ceilDiv(end - System.nanoTime(), 1_000_000L);
                if (left <= 0) {
                    throw new SocketTimeoutException();
                }
                socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
                int n = socket.getInputStream().read(message, have, length - have);
                if (n < 0) {
                    throw new EOFException();
                }
                have += n;
            }
            return message;
        } catch (SocketTimeoutException e) {
            throw new PerftestException(
                    "the peer at " + peer + " sent " + have + " of " + length + " bytes within " + seconds(deadline)
                            + received(message, have) + ": is it the same test, and has it a GID index too?",
                    e);
        } catch (IOException e) {
            throw new PerftestException(
                    "the peer at " + peer + " closed the connection after " + have + " of " + length + " bytes"
                            + received(message, have),
                    e);
        }
    }

    private static String received(byte[] message, int have) {
        return have == 0 ? "" : " (" + Wire.printable(message, have) + ")";
    }

    /** A failure that says what the peer did wrong. */
    PerftestException broken(IllegalArgumentException cause) {
        return new PerftestException(
                "the peer at " + peer + " does not speak perftest's protocol: " + cause.getMessage(), cause);
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
            // The socket never carried anything: the failure that led here is the one to tell.
        }
    }

    /** Closes the connection; what the peer still sends is lost. */
    @Override
    public void close() {
        closeQuietly(socket);
    }
}
