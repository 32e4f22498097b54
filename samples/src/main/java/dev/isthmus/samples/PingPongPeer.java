// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The TCP connection by which the ping-pong programs find each other. What comes from it is not trusted. */
final class PingPongPeer implements AutoCloseable {

    /** How long a peer may take over what it has to say next. */
    private static final int DEADLINE_SECONDS = 10;

    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final String name;

    private PingPongPeer(Socket socket) throws IOException {
        this.socket = socket;
        this.name = socket.getInetAddress().getHostAddress() + ":" + socket.getPort();
        socket.setTcpNoDelay(true); // C reads a message with one read()
    }

    /** Connects queue pairs, when it is known to which. */
    interface PairConnector {
        void connect(List<PingPongAddress> remote) throws IOException;
    }

    /**
     * Swaps addresses with the peer and connects: the server before it answers, so that the client can send at once.
     */
    static List<PingPongAddress> meet(PingPongOptions options, List<PingPongAddress> mine, PairConnector connector)
            throws IOException {
        try (PingPongPeer peer =
                options.isClient() ? connect(options.server.orElseThrow(), options.port) : acceptOne(options.port)) {
            List<PingPongAddress> remote;
            if (options.isClient()) {
                peer.write(mine);
                remote = peer.read(mine.size());
                peer.write(DONE);
                connector.connect(remote);
            } else {
                remote = peer.read(mine.size());
                connector.connect(remote);
                peer.write(mine);
                peer.expect(DONE);
            }
            return remote;
        }
    }

    static PingPongPeer connect(String host, int port) throws IOException {
        var socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), DEADLINE_SECONDS * 1000);
            return new PingPongPeer(socket);
        } catch (IOException e) {
            socket.close();
            throw new IOException("Couldn't connect to " + host + ":" + port + ": " + e.getMessage(), e);
        }
    }

    /** Listens as the C programs do: wherever this host can be reached. */
    static ServerSocket listen(int port) throws IOException {
        try {
            return new ServerSocket(port, 1);
        } catch (IOException e) {
            throw new IOException("Couldn't listen to port " + port + ": " + e.getMessage(), e);
        }
    }

    static PingPongPeer accept(ServerSocket listener) throws IOException {
        return new PingPongPeer(listener.accept());
    }

    private static PingPongPeer acceptOne(int port) throws IOException {
        try (ServerSocket listener = listen(port)) {
            return accept(listener);
        }
    }

    private void write(List<PingPongAddress> addresses) throws IOException {
        var message = new ByteArrayOutputStream();
        for (PingPongAddress address : addresses) {
            message.write(address.encode());
        }
        write(message.toByteArray());
    }

    private List<PingPongAddress> read(int count) throws IOException {
        byte[] message = read(count * PingPongAddress.BYTES, "address");
        var addresses = new ArrayList<PingPongAddress>();
        for (int at = 0; at < message.length; at += PingPongAddress.BYTES) {
            addresses.add(PingPongAddress.decode(Arrays.copyOfRange(message, at, at + PingPongAddress.BYTES)));
        }
        return addresses;
    }

    /** Waits for a word that can have only one meaning. */
    void expect(byte[] word) throws IOException {
        byte[] heard = read(word.length, "last word");
        if (!Arrays.equals(word, heard)) {
            throw new IOException("the peer at " + name + " sent something unexpected: "
                    + PingPongAddress.printable(new String(heard, StandardCharsets.ISO_8859_1)));
        }
    }

    void write(byte[] message) throws IOException {
        socket.getOutputStream().write(message);
    }

    /** Reads just so many bytes before the deadline, however the peer sends them. */
    byte[] read(int bytes, String what) throws IOException {
        long end = System.nanoTime() + DEADLINE_SECONDS * 1_000_000_000L;
        byte[] message = new byte[bytes];
        int have = 0;
        try {
            while (have < bytes) {
                long left = Math.ceilDiv(end - System.nanoTime(), 1_000_000L);
                if (left <= 0) {
                    throw new SocketTimeoutException();
                }
                socket.setSoTimeout((int) left);
                int n = socket.getInputStream().read(message, have, bytes - have);
                if (n < 0) {
                    throw new EOFException("the peer at " + name + " closed the connection after " + have + " of "
                            + bytes + " bytes of its " + what);
                }
                have += n;
            }
            return message;
        } catch (SocketTimeoutException e) {
            throw new IOException(
                    "the peer at " + name + " sent " + have + " of " + bytes + " bytes of its " + what + " within "
                            + DEADLINE_SECONDS + " s",
                    e);
        } catch (SocketException e) {
            throw new IOException("the connection to the peer at " + name + " broke: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
