// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.tools.PerftestException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.openucx.jucx.UcxException;
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
import org.openucx.jucx.ucs.UcsConstants;

/** An end that uses JUCX, UCX's own JNI binding. It has the plain tests of tag, stream, active messages and put. */
final class JucxEnd extends UcxEnd {

    private static final long EXACT = -1;

    private final UcpContext context;
    private final UcpWorker worker;
    private final UcpMemory outgoing;
    private final UcpMemory incoming;
    private final long from;
    private final long to;
    private final long bytes;
    private UcpEndpoint endpoint; // null unless it is connected
    private UcpRemoteKey key; // of the peer's memory, for puts
    private long remote;
    private UcpRequest[] requests = new UcpRequest[1]; // by number; the first is none
    private int[] unused = {}; // numbers of requests that were released
    private int unusedCount;

    JucxEnd(UcxPlan plan, boolean server, UcxLink link) {
        super(plan, server, link);
        context = new UcpContext(params());
        worker = new UcpWorker(context, new UcpWorkerParams());
        outgoing = allocate();
        incoming = allocate();
        from = outgoing.getAddress();
        to = incoming.getAddress();
        bytes = plan.bytes();
    }

    private UcpParams params() {
        var params = new UcpParams();
        return switch (plan.test().command) {
            case TAG -> params.requestTagFeature();
            case STREAM -> params.requestStreamFeature();
            case AM -> params.requestAmFeature();
            case PUT -> params.requestRmaFeature();
            default -> throw absent();
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
    void open(EndpointInfo peer) throws IOException {
        try {
            endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(direct(peer.address())));
            if (plan.test().command == UcxTest.Command.PUT) {
                key = endpoint.unpackRemoteKey(direct(peer.key()));
                remote = peer.memory();
            }
        } catch (UcxException e) {
            throw new PerftestException("JUCX: " + e.getMessage(), e);
        }
    }

    /** A number for a request, or 0 for one that is done. */
    private long number(UcpRequest request) {
        if (request.isCompleted() && request.getStatus() == 0) {
            return 0;
        }
        return keep(request);
    }

    private long keep(UcpRequest request) {
        if (unusedCount == 0) {
            int before = requests.length;
            requests = Arrays.copyOf(requests, 2 * before);
            unused = new int[2 * before];
            for (int i = before; i < requests.length; i++) {
                unused[unusedCount++] = i;
            }
        }
        int number = unused[--unusedCount];
        requests[number] = request;
        return number;
    }

    @Override
    @SuppressWarnings("restricted")
    MemorySegment outgoing() {
        return MemorySegment.ofAddress(from).reinterpret(plan.span());
    }

    @Override
    @SuppressWarnings("restricted")
    MemorySegment incoming() {
        return MemorySegment.ofAddress(to).reinterpret(plan.span());
    }

    @Override
    long tagSend() {
        return number(endpoint.sendTaggedNonBlocking(from, bytes, TAG, null));
    }

    @Override
    long tagReceive() {
        return number(worker.recvTaggedNonBlocking(to, bytes, TAG, EXACT, null));
    }

    @Override
    long streamSend() {
        return number(endpoint.sendStreamNonBlocking(from, bytes, null));
    }

    @Override
    long streamReceive(long offset) {
        return keep(endpoint.recvStreamNonBlocking(to + offset, bytes - offset, 0, null)); // its length is wanted
    }

    @Override
    long amSend() {
        return number(endpoint.sendAmNonBlocking(MESSAGE_ID, 0, 0, from, bytes, 0, null));
    }

    @Override
    void handleMessages(LongConsumer handler) {
        worker.setAmRecvHandler(MESSAGE_ID, (header, headerSize, message, reply) -> {
            if (message.isDataValid()) {
                handler.accept(0);
                return UcsConstants.STATUS.UCS_OK;
            }
            handler.accept(number(message.receive(to, null)));
            return UcsConstants.STATUS.UCS_INPROGRESS;
        });
    }

    @Override
    long put() {
        return number(endpoint.putNonBlocking(from, bytes, remote, key, null));
    }

    /** JUCX has none. */
    @Override
    void fence() throws IOException {
        flush();
    }

    @Override
    long beginFlush() {
        return number(worker.flushNonBlocking(null));
    }

    @Override
    int progress() {
        try {
            return worker.progress();
        } catch (Exception e) { // JUCX declares no narrower type
            throw new IllegalStateException(e);
        }
    }

    @Override
    boolean isDone(long request) {
        return requests[(int) request].isCompleted();
    }

    @Override
    int statusCode(long request) {
        return requests[(int) request].getStatus();
    }

    @Override
    long length(long request) {
        return requests[(int) request].getRecvSize();
    }

    @Override
    void release(long request) {
        requests[(int) request] = null;
        unused[unusedCount++] = (int) request;
    }

    @Override
    void disconnect() {
        if (key != null) {
            key.close();
            key = null;
        }
        UcpRequest closing = endpoint.closeNonBlockingFlush();
        while (!closing.isCompleted()) {
            progress();
        }
        endpoint = null;
    }

    @Override
    public void close() {
        if (endpoint != null) {
            UcpRequest closing = endpoint.closeNonBlockingForce();
            while (!closing.isCompleted()) {
                progress();
            }
        }
        outgoing.close();
        incoming.close();
        worker.close();
        context.close();
    }
}
