// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpBuffer;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpErrorHandling;
import dev.isthmus.ucx.UcpIov;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpOperationOption;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpWorker;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/** An end that uses Isthmus. */
final class JavaEnd implements UcxEnd {

    private final UcxPlan plan;
    private final boolean server;
    private final UcpContext context;
    private final UcpWorker worker;
    private final UcpMemory outgoing;
    private final UcpMemory incoming;
    private final UcpMemory header; // of an active message; null for none
    private final UcxProgress waiting;
    private UcpEndpoint endpoint;
    private UcpRemoteMemory remote;
    private JavaLoop loop;

    JavaEnd(UcxPlan plan, boolean server, UcxLink link) {
        this(plan, server, link, Map.of());
    }

    /** Creates an end with UCX options beyond those of the environment. */
    JavaEnd(UcxPlan plan, boolean server, UcxLink link, Map<String, String> settings) {
        this.plan = plan;
        this.server = server;
        context = UcpContext.create(config -> {
            config.features(plan.features());
            settings.forEach(config::set);
        });
        worker = context.createWorker(config -> config.reservedRequests(2 * plan.window() + 2));
        outgoing = allocate();
        incoming = allocate();
        header = plan.header() == 0 ? null : context.allocate(plan.header());
        waiting = new UcxProgress(worker, link, !plan.test().command().isOneSided());
    }

    private UcpMemory allocate() {
        UcpMemory memory = context.allocate(plan.span(), config -> {
            if (plan.has(UcxPlan.MAP_NONBLOCK)) {
                config.nonBlocking();
            }
        });
        memory.segment().fill((byte) 0);
        return memory;
    }

    @Override
    public EndpointInfo introduction() {
        byte[] key = plan.test().command().isOneSided() ? incoming.packKey().rkey() : new byte[0];
        return new EndpointInfo(worker.address().toRawBytes(), key, incoming.address());
    }

    @Override
    public void connect(EndpointInfo peer) throws IOException {
        endpoint = worker.createEndpoint(UcpAddress.ofRaw(peer.address()), config -> {
            if (plan.has(UcxPlan.ERROR_HANDLING)) {
                config.errorHandling(UcpErrorHandling.PEER);
            }
        });
        if (plan.test().command().isOneSided()) {
            remote = endpoint.unpack(UcpPackedKey.ofRaw(peer.memory(), plan.bytes(), peer.key()));
        }
        loop = switch (plan.test().command()) {
            case TAG, TAG_SYNC -> new TagLoop(this);
            case STREAM -> new StreamLoop(this);
            case AM -> new AmLoop(this);
            case PUT -> new PutLoop(this);
            case GET -> new GetLoop(this);
            case ADD, FADD, SWAP, CSWAP -> new AtomicLoop(this);
        };
    }

    UcxPlan plan() {
        return plan;
    }

    boolean isServer() {
        return server;
    }

    UcpWorker worker() {
        return worker;
    }

    UcpEndpoint endpoint() {
        return endpoint;
    }

    UcpRemoteMemory remote() {
        return remote;
    }

    UcxProgress waiting() {
        return waiting;
    }

    MemorySegment outgoing() {
        return outgoing.segment();
    }

    MemorySegment incoming() {
        return incoming.segment();
    }

    MemorySegment header() {
        return header == null ? MemorySegment.NULL : header.segment();
    }

    /** What is sent if it is more than a plain buffer, such as a list; otherwise null. */
    UcpPayload outgoingPayload() {
        UcpPayload payload = plan.sendIov()
                ? list(outgoing())
                : UcpBuffer.of(worker, outgoing()).range(0, plan.bytes());
        if (!plan.test().isPingPong()) {
            return payload.options(UcpOperationOption.MULTI_SEND);
        }
        return plan.sendIov() ? payload : null;
    }

    /** What is received into if it is a list of buffers; otherwise null. */
    UcpPayload incomingPayload() {
        return plan.receiveIov() ? list(incoming()) : null;
    }

    private UcpIov list(MemorySegment memory) {
        UcpIov list = UcpIov.allocate(worker, plan.sizes().size());
        long at = 0;
        for (long size : plan.sizes()) {
            list.add(memory, at, size);
            at += plan.stride() == 0 ? size : plan.stride();
        }
        return list;
    }

    @Override
    public void begin() {
        loop.begin();
    }

    @Override
    public UcxBlock block() {
        if (plan.test().isPingPong()) {
            return server ? loop::ask : loop::answer;
        }
        return server ? loop::take : loop::give;
    }

    @Override
    public void finish() throws IOException {
        loop.finish();
    }

    @Override
    public void flush() throws IOException {
        waiting.finish(worker.flush());
    }

    @Override
    public void progress() {
        worker.progress();
    }

    @Override
    public void disconnect() {
        if (remote != null) {
            remote.close();
        }
        endpoint.close();
    }

    @Override
    public void close() {
        // After a failure, there may be operations that will never end.
        if (remote != null) {
            remote.close();
        }
        if (endpoint != null) {
            endpoint.closeForcibly();
        }
        worker.close();
        outgoing.close();
        incoming.close();
        if (header != null) {
            header.close();
        }
        context.close();
    }
}
