// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.CmException;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.ConnectionSetup;
import dev.isthmus.cm.Connector;
import dev.isthmus.cm.Listener;
import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A queue pair of RDMA CM as the ends' out-of-band channel, like perftest with {@code -R} or {@code -z}. At the end C sends
 * nothing on it, and does not look at events before it has finished; a connection cannot be half-closed.
 */
final class CmChannel extends OutOfBandChannel {

    /** The size of each of its buffers: two for receives, one for sends. */
    private static final int BUFFER = 64;

    private static final int RECEIVES = 2;

    private final Connection connection;
    private final RegisteredMemory memory;
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private final ReceiveRequest receive;
    private final SendRequest send;
    private final long[] arrived = new long[RECEIVES];
    private int arrivals;
    private int taken;
    private int sendsOutstanding;

    private CmChannel(boolean client, Connection connection) {
        super(
                client,
                connection.peerAddress() == null ? "" : connection.peerAddress().toString(),
                DEFAULT_DEADLINE);
        this.connection = connection;
        memory = (RegisteredMemory) connection.id().attachment();
        receive = ReceiveRequest.prepare(memory.region());
        send = SendRequest.prepare(memory.region()).signaled(true);
    }

    /** Connects to a server, which must be waiting already. */
    static CmChannel connect(InetSocketAddress server, Duration deadline) throws PerftestException {
        if (server.isUnresolved()) {
            throw new PerftestException("unknown host " + server.getHostString());
        }
        try {
            return new CmChannel(true, Connector.connect(server, deadline, CmChannel::configure));
        } catch (CmException e) {
            throw new PerftestException(
                    "no server at " + server.getHostString() + ":" + server.getPort()
                            + ": start `isthmus perf TEST -R` or `ib_TEST -R` there first: " + e.getMessage(),
                    e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Says when clients can connect, waits for one, and then stops listening. If the wait is zero, waits without
     * a limit.
     */
    static CmChannel accept(InetSocketAddress address, Duration wait, Runnable listening) throws PerftestException {
        try (var listener = Listener.bind(address, config -> config.connections(CmChannel::configure))) {
            listening.run();
            Connection connection = wait.isZero() ? listener.accept() : listener.accept(wait);
            if (connection == null) {
                throw new PerftestException("no client connected to port " + address.getPort() + " of RDMA CM within "
                        + wait.toSeconds() + " s");
            }
            return new CmChannel(false, connection);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static void configure(ConnectionSetup setup) {
        setup.queuePair(config -> config.maxSendWr(RECEIVES).maxRecvWr(RECEIVES))
                .completions(2 * RECEIVES)
                .parameters(config -> config.rnrRetryCount(7))
                .prepare(CmChannel::prepare);
    }

    /** Posts receives before the peer can send. */
    private static void prepare(Connection connection) {
        RegisteredMemory memory = connection.allocate((RECEIVES + 1) * BUFFER, AccessFlag.LOCAL_WRITE);
        connection.id().attach(memory);
        for (int i = 0; i < RECEIVES; i++) {
            connection
                    .queuePair()
                    .post(ReceiveRequest.prepare(memory.region())
                            .range((long) i * BUFFER, BUFFER)
                            .wrId(i));
        }
    }

    @Override
    byte[] encode(PerftestDestination mine) {
        return ExchangeFormat.encodeStruct(mine);
    }

    @Override
    PerftestDestination decode(byte[] theirs, boolean withGid) {
        return ExchangeFormat.decodeStruct(theirs, withGid);
    }

    @Override
    void write(byte[] message) throws PerftestException {
        long offset = (long) RECEIVES * BUFFER;
        memory.segment().asSlice(offset).copyFrom(MemorySegment.ofArray(message));
        if (!connection.queuePair().tryPost(send.range(offset, message.length))) {
            throw new PerftestException("the send queue to " + peer + " is full");
        }
        sendsOutstanding++;
        while (sendsOutstanding > 0) {
            pump(DEFAULT_DEADLINE, "acknowledges nothing");
        }
    }

    @Override
    byte[] read(int length, Duration patience) throws PerftestException {
        while (taken == arrivals) {
            pump(patience, "sent 0 of " + length + " bytes");
        }
        int slot = taken++ % RECEIVES;
        byte[] message = new byte[length];
        long have = arrived[slot];
        if (have != length) {
            throw new PerftestException("the peer at " + peer + " sent " + have + " bytes instead of " + length
                    + ": do both ends run the same test?");
        }
        long offset = (long) slot * BUFFER;
        MemorySegment.copy(memory.segment(), ValueLayout.JAVA_BYTE, offset, message, 0, length);
        if (!connection.queuePair().tryPost(receive.range(offset, BUFFER).wrId(slot))) {
            throw new PerftestException("the receive queue from " + peer + " is full");
        }
        return message;
    }

    /** Takes the completion of a send or a receive. */
    private void pump(Duration patience, String otherwise) throws PerftestException {
        try {
            if (connection.await(done, patience) == 0) {
                throw new PerftestException("the peer at " + peer + " " + otherwise + " within " + patience.toSeconds()
                        + " s: do both ends run the same test?");
            }
        } catch (CmException e) {
            throw new PerftestException("the peer at " + peer + " closed the connection", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        if (!done.isSuccess(0)) {
            throw new PerftestException("the peer at " + peer + " closed the connection: " + done.status(0));
        }
        if (done.opcode(0) == CompletionOpcode.RECV) {
            arrived[(int) done.wrId(0)] = done.byteLength(0);
            arrivals++;
        } else {
            sendsOutstanding--;
        }
    }

    static PerftestException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new PerftestException("interrupted", e);
    }

    @Override
    public void close() {
        connection.close();
    }
}
