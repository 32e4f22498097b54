// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.tools.PerftestException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** An end that uses JUCX, UCX's own JNI binding. It has the plain tests of tag, stream, active messages and put. */
final class JucxEnd extends UcxEnd {

    private static final int PASSES_BETWEEN_CHECKS = 1 << 12;

    final UcpWorker worker;
    final UcpMemory outgoing;
    final UcpMemory incoming;
    UcpEndpoint endpoint; // null unless it is connected
    UcpRemoteKey key; // of the peer's memory, for puts
    long remote;
    private final UcpContext context;
    private JucxLoop loop;
    private int idle;

    JucxEnd(UcxPlan plan, boolean server, UcxLink link) {
        super(plan, server, link);
        context = new UcpContext(params(plan));
        worker = new UcpWorker(context, new UcpWorkerParams());
        outgoing = allocate();
        incoming = allocate();
    }

    private static UcpParams params(UcxPlan plan) {
        var params = new UcpParams();
        return switch (plan.test().command) {
            case TAG -> params.requestTagFeature();
            case STREAM -> params.requestStreamFeature();
            case AM -> params.requestAmFeature();
            case PUT -> params.requestRmaFeature();
            default ->
                throw new IllegalArgumentException("JUCX has no " + plan.test().title());
        };
    }

    private UcpMemory allocate() {
        return context.memoryMap(new UcpMemMapParams().allocate().setLength(plan.span()));
    }

    @Override
    EndpointInfo introduction() {
        byte[] packed = plan.test().command == UcxTest.Command.PUT ? bytes(incoming.getRemoteKeyBuffer()) : new byte[0];
        return new EndpointInfo(bytes(worker.getAddress()), packed, incoming.getAddress());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    @Override
    void connect(EndpointInfo peer) throws IOException {
        try {
            endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(direct(peer.address())));
            if (plan.test().command == UcxTest.Command.PUT) {
                key = endpoint.unpackRemoteKey(direct(peer.key()));
                remote = peer.memory();
            }
        } catch (UcxException e) {
            throw new PerftestException("JUCX: " + e.getMessage(), e);
        }
        loop = switch (plan.test().command) {
            case TAG -> new JucxLoop.Tag(this);
            case STREAM -> new JucxLoop.Stream(this);
            case AM -> new JucxLoop.Am(this);
            default -> new JucxLoop.Put(this);
        };
    }

    @Override
    UcxLoop loop() {
        return loop;
    }

    /** The bytes of some memory. */
    ByteBuffer view(long address) {
        return UcxUtils.getByteBufferView(address, plan.bytes());
    }

    /** Progresses once, and checks now and then whether the peer is alive. */
    void pass() throws IOException {
        if (once() == 0 && ++idle == PASSES_BETWEEN_CHECKS) {
            idle = 0;
            link.checkPeer(!plan.test().command.isOneSided());
        }
    }

    private int once() {
        try {
            return worker.progress();
        } catch (Exception e) { // JUCX declares no narrower type
            throw new IllegalStateException(e);
        }
    }

    /** Progresses until an operation is done. */
    void finish(UcpRequest request) throws IOException {
        while (!request.isCompleted()) {
            pass();
        }
        if (request.getStatus() != 0) {
            throw new PerftestException("an operation of JUCX has failed: status " + request.getStatus());
        }
    }

    @Override
    void flush() throws IOException {
        finish(worker.flushNonBlocking(null));
    }

    @Override
    void progress() {
        once();
    }

    @Override
    void disconnect() {
        if (key != null) {
            key.close();
            key = null;
        }
        UcpRequest closing = endpoint.closeNonBlockingFlush();
        while (!closing.isCompleted()) {
            once();
        }
        endpoint = null;
    }

    @Override
    public void close() {
        if (endpoint != null) {
            UcpRequest closing = endpoint.closeNonBlockingForce();
            while (!closing.isCompleted()) {
                once();
            }
        }
        outgoing.close();
        incoming.close();
        worker.close();
        context.close();
    }
}
