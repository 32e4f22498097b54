// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionConfig;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.DatagramParameters;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.GlobalRouteHeader;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Queue pairs that RDMA CM connects, one after another: the server answers one request for each queue pair. A datagram
 * server learns where to answer from a first datagram, which carries the sender's number.
 */
final class CmPairs implements AutoCloseable {

    /** The key of all datagrams whose queue pairs RDMA CM has made: {@code RDMA_UDP_QKEY}. */
    private static final int CM_QKEY = 0x01234567;

    private static final Duration DEADLINE = OutOfBandChannel.DEFAULT_DEADLINE;
    private static final Duration STEP = Duration.ofSeconds(2);

    /** The kernel can miss an answer that comes at once, and looks again after the timeout: short attempts find it. */
    private static final Duration ADDRESS_STEP = Duration.ofMillis(200);

    private static final int RNR_RETRIES = 7;
    private static final int RETRIES = 7;

    /** C listens only once it has answered the handshake: a client that comes earlier is rejected, and tries again. */
    private static final int ATTEMPTS = 50;

    private static final long PAUSE_NANOS = 20_000_000;

    private final Endpoint end;
    private final EventChannel channel;
    private final PortSpace space;
    private ConnectionId listener; // null on the client
    private boolean opened;

    CmPairs(Endpoint end) {
        this.end = end;
        channel = end.own(EventChannel.open());
        space = end.plan.isDatagram() ? PortSpace.UDP : PortSpace.TCP;
    }

    /** The server must listen before it answers the handshake, after which the client connects. */
    void listen() throws PerftestException {
        listener = channel.createId(space);
        listener.bind(end.plan.place().listenAt());
        listener.listen(end.plan.queues().pairs);
    }

    void acceptAll() throws PerftestException {
        for (int i = 0; i < end.plan.queues().pairs; i++) {
            accept(i);
        }
    }

    private void accept(int index) throws PerftestException {
        CmEvent event = next("no request for queue pair " + index);
        while (!(event instanceof CmEvent.ConnectRequest) && !(event instanceof CmEvent.DatagramRequest)) {
            if (event instanceof CmEvent.Disconnected) {
                throw new PerftestException("the peer has ended a connection of RDMA CM: " + event);
            }
            event = next("no request for queue pair " + index);
        }
        ConnectionId id = end.own(event.id());
        QueuePair pair = end.add(create(id));
        boolean answers = end.plan.isDatagram() && end.plan.sends();
        if (answers) {
            long offset = end.receiveOffset(index);
            pair.post(
                    ReceiveRequest.prepare(end.memory.region()).range(offset, GlobalRouteHeader.BYTES + Integer.BYTES));
        }
        id.accept(this::configure);
        if (answers) {
            end.add(answerTo(id, index));
        }
    }

    /** Takes the first datagram, and learns from it how to reach its sender. */
    private Endpoint.Target answerTo(ConnectionId id, int index) throws PerftestException {
        var done = WorkCompletions.allocate(1);
        await(end.receiveQueue, done, "no first datagram");
        if (!done.hasImmediate(0) || done.immediate(0) >>> 24 != 0) {
            throw new PerftestException("the first datagram has no queue pair number");
        }
        var header = GlobalRouteHeader.of(end.memory.segment(), end.receiveOffset(index));
        return new Endpoint.Target(
                end.own(end.pd.createAddressHandle(id.devicePort(), done, 0, header)), done.immediate(0), CM_QKEY);
    }

    void connectAll() throws PerftestException {
        for (int i = 0; i < end.plan.queues().pairs; i++) {
            connect(i);
        }
    }

    private void connect(int index) throws PerftestException {
        String host = end.plan.server().orElseThrow();
        var server = new InetSocketAddress(host, end.plan.place().tcpPort);
        for (int attempt = 1; ; attempt++) {
            ConnectionId id = end.own(resolved(server));
            QueuePair pair = create(id);
            id.connect(this::configure);
            CmEvent event = next("no answer for queue pair " + index);
            if (event instanceof CmEvent.Established) {
                end.add(pair);
                return;
            }
            if (event instanceof CmEvent.DatagramEstablished established) {
                end.add(pair);
                end.add(targetOf(established.parameters()));
                if (!end.plan.test().isBandwidth() || end.plan.traffic().bidirectional) {
                    introduce(index);
                }
                return;
            }
            pair.close();
            id.close();
            boolean early = event instanceof CmEvent.Rejected || event instanceof CmEvent.Unreachable;
            if (!early || attempt == ATTEMPTS) {
                throw new PerftestException("queue pair " + index + " was not connected by RDMA CM: " + event);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private Endpoint.Target targetOf(DatagramParameters to) {
        return new Endpoint.Target(end.own(end.pd.createAddressHandle(to.path())), to.qpNum(), to.qkey());
    }

    private ConnectionId resolved(InetSocketAddress server) throws PerftestException {
        ConnectionId id = channel.createId(space);
        try {
            CmEvent event = null;
            for (int attempt = 0; attempt < ATTEMPTS && !(event instanceof CmEvent.AddressResolved); attempt++) {
                id.resolveAddress(server, ADDRESS_STEP);
                event = next("the address " + server + " was not resolved");
            }
            if (!(event instanceof CmEvent.AddressResolved)) {
                throw new PerftestException("the address " + server + " was not resolved: " + event);
            }
            id.resolveRoute(STEP);
            String failure = "the route to " + server + " was not resolved";
            event = next(failure);
            if (!(event instanceof CmEvent.RouteResolved)) {
                throw new PerftestException(failure + ": " + event);
            }
            return id;
        } catch (PerftestException | RuntimeException e) {
            id.close();
            throw e;
        }
    }

    /** What the queue pairs share belongs to the first connection's device. */
    private QueuePair create(ConnectionId id) {
        if (!opened) {
            end.open(id.device(), id.devicePort());
            opened = true;
        }
        return end.own(id.createQueuePair(end.pd, end.sendQueue, end.receiveQueue, end::configure));
    }

    private void configure(ConnectionConfig config) {
        config.retryCount(RETRIES).rnrRetryCount(RNR_RETRIES);
        if (end.plan.test().verb().isFetch()) {
            int outstanding = Math.min(end.setup.outReads(), 255); // a byte in the message
            config.responderResources(outstanding).initiatorDepth(outstanding);
        }
    }

    /** The client's first datagram, with the number of its queue pair. */
    private void introduce(int index) throws PerftestException {
        Endpoint.Target to = end.target(index);
        end.pair(index)
                .post(SendRequest.prepare(end.memory.region())
                        .opcode(SendOpcode.SEND_WITH_IMM)
                        .range(end.sendOffset(index), Integer.BYTES)
                        .immediate(end.pair(index).qpNum())
                        .to(to.handle(), to.qpNum(), to.qkey())
                        .signaled(true));
        await(end.sendQueue, WorkCompletions.allocate(1), "the first datagram was not sent");
    }

    private void await(CompletionQueue queue, WorkCompletions done, String silence) throws PerftestException {
        new CompletionWaiter(end, new Phases(end.plan.traffic())).await(queue, done, silence);
        if (!done.isSuccess(0)) {
            throw CompletionWaiter.failed("the first datagram", 0, done, 0);
        }
    }

    private CmEvent next(String otherwise) throws PerftestException {
        try {
            CmEvent event = channel.await(DEADLINE);
            if (event == null) {
                throw new PerftestException(otherwise + " within " + DEADLINE.toSeconds() + " s");
            }
            return event;
        } catch (InterruptedException e) {
            throw CmChannel.interrupted(e);
        }
    }

    /** Stops listening. Connected queue pairs belong to the endpoint. */
    @Override
    public void close() {
        if (listener != null) {
            listener.close();
        }
    }
}
