// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpErrorHandling;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Knows the secret, and sends anything. */
final class HostilePeer implements AutoCloseable {

    static final long NUMBER = 666;

    private final UcpContext context;
    private final EventLoop loop = EventLoop.start();
    private final UcpWorker worker;
    private final BlockingQueue<PeerMessage> received = new LinkedBlockingQueue<>();
    private final byte[] secret;
    private final UcpMemory memory;
    private UcpEndpoint endpoint;
    private volatile long connection = 1; // the other side's number

    HostilePeer(byte[] secret) {
        this(secret, "tcp,self");
    }

    HostilePeer(byte[] secret, String tls) {
        this.secret = secret;
        context = UcpContext.create(config ->
                config.set("TLS", tls).features(EnumSet.of(UcpFeature.AM, UcpFeature.RMA, UcpFeature.WAKEUP)));
        memory = context.allocate(Settings.defaults().sliceBytes() + SliceUses.BYTES);
        memory.segment().fill((byte) 0); // the number of its use, too
        worker = context.createWorker(
                loop,
                config -> config.handler(
                        NodeConnector.ID,
                        message -> receive(
                                PeerMessage.read(ByteBuffer.wrap(message.data().toArray())))));
    }

    private void receive(PeerMessage message) {
        if (message instanceof PeerMessage.Hello hello) {
            connection = hello.number();
        } else if (message instanceof PeerMessage.Welcome welcome) {
            connection = welcome.number();
        }
        received.add(message);
    }

    Node node() {
        return node(NUMBER);
    }

    /** As if this were the process with that id. */
    Node node(long id) {
        return Node.of(id, loop.call(worker::address), secret);
    }

    /** A part in memory as long as a slice, because a key that leads nowhere would end its own process. */
    PeerMessage.Slice slice(long call, int index, long blockBytes, int part, long ticket, long place) {
        return slice(call, index, blockBytes, part, ticket, place, 0);
    }

    PeerMessage.Slice slice(long call, int index, long blockBytes, int part, long ticket, long place, long use) {
        return new PeerMessage.Slice(call, index, blockBytes, part, ticket, place, use, memory.packKey());
    }

    void connect(Node other) {
        endpoint = loop.call(
                () -> worker.createEndpoint(other.open(secret), config -> config.errorHandling(UcpErrorHandling.PEER)));
    }

    void send(PeerMessage message) {
        send(written(message));
    }

    ByteBuffer written(PeerMessage message) {
        return write(message, NUMBER, connection);
    }

    /** A message as if it came from any process. */
    static ByteBuffer write(PeerMessage message, long from, long connection) {
        return PeerMessage.write(
                message, new PeerMessage.Header(from, connection), ByteBuffer.allocate(PeerMessage.MAX_BYTES));
    }

    /** A message for UCX, which keeps it until it is sent. */
    private static MemorySegment copy(ByteBuffer bytes) {
        return Arena.ofAuto().allocate(bytes.remaining()).copyFrom(MemorySegment.ofBuffer(bytes));
    }

    void send(ByteBuffer bytes) {
        MemorySegment copy = copy(bytes);
        loop.submitAsync(
                        () -> endpoint.amSendAsync(NodeConnector.ID, MemorySegment.NULL, copy, UcpActiveMessages.EAGER))
                .join();
    }

    /** Sends many at once, and takes nothing in between. */
    void sendAll(List<? extends PeerMessage> messages) {
        List<MemorySegment> copies =
                messages.stream().map(message -> copy(written(message))).toList();
        loop.submitAsync(() -> CompletableFuture.allOf(copies.stream()
                        .map(copy -> endpoint.amSendAsync(
                                NodeConnector.ID, MemorySegment.NULL, copy, UcpActiveMessages.EAGER))
                        .toArray(CompletableFuture[]::new)))
                .join();
    }

    /** The next message of that kind. */
    <M extends PeerMessage> M next(Class<M> kind) throws InterruptedException {
        PeerMessage message = received.poll(TestDeadlines.seconds(20), TimeUnit.SECONDS);
        if (!kind.isInstance(message)) {
            throw new AssertionError("came: " + message);
        }
        return kind.cast(message);
    }

    @Override
    public void close() {
        if (endpoint != null) {
            loop.submitAsync(endpoint::closeAsync).join();
        }
        worker.close();
        memory.close();
        context.close();
        loop.close();
    }
}
