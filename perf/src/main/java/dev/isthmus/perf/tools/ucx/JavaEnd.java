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
final class JavaEnd extends UcxEnd {

    final UcpWorker worker;
    final UcpMemory outgoing;
    final UcpMemory incoming;
    final UcpMemory header; // of an active message; null for none
    final UcxProgress waiting;
    UcpEndpoint endpoint; // null until it is connected
    UcpRemoteMemory remote; // likewise, and for operations that are not one-sided
    private final UcpContext context;
    private JavaLoop loop;

    JavaEnd(UcxPlan plan, boolean server, UcxLink link) {
        this(plan, server, link, Map.of());
    }

    /** Creates an end with UCX options beyond those of the environment. */
    JavaEnd(UcxPlan plan, boolean server, UcxLink link, Map<String, String> settings) {
        super(plan, server, link);
        context = UcpContext.create(config -> {
            config.features(plan.features());
            settings.forEach(config::set);
        });
        worker = context.createWorker(config -> config.reservedRequests(2 * plan.window() + 2));
        outgoing = allocate();
        incoming = allocate();
        header = plan.header() == 0 ? null : context.allocate(plan.header());
        waiting = new UcxProgress(worker, link, !plan.test().command.isOneSided());
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
    EndpointInfo introduction() {
        byte[] key = plan.test().command.isOneSided() ? incoming.packKey().rkey() : new byte[0];
        return new EndpointInfo(worker.address().toRawBytes(), key, incoming.address());
    }

    @Override
    void connect(EndpointInfo peer) throws IOException {
        endpoint = worker.createEndpoint(UcpAddress.ofRaw(peer.address()), config -> {
            if (plan.has(UcxPlan.ERROR_HANDLING)) {
                config.errorHandling(UcpErrorHandling.PEER);
            }
        });
        if (plan.test().command.isOneSided()) {
            remote = endpoint.unpack(UcpPackedKey.ofRaw(peer.memory(), plan.bytes(), peer.key()));
        }
        loop = switch (plan.test().command) {
            case TAG, TAG_SYNC -> new TagLoop(this);
            case STREAM -> new StreamLoop(this);
            case AM -> new AmLoop(this);
            case PUT -> new PutLoop(this);
            case GET -> new GetLoop(this);
            case ADD, FADD, SWAP, CSWAP -> new AtomicLoop(this);
        };
    }

    @Override
    UcxLoop loop() {
        return loop;
    }

    /** What is sent if it is more than a plain buffer, such as a list; otherwise null. */
    UcpPayload outgoingPayload() {
        UcpPayload payload = plan.sendIov()
                ? list(outgoing.segment())
                : UcpBuffer.of(worker, outgoing.segment()).range(0, plan.bytes());
        if (!plan.test().isPingPong()) {
            return payload.options(UcpOperationOption.MULTI_SEND);
        }
        return plan.sendIov() ? payload : null;
    }

    /** What is received into if it is a list of buffers; otherwise null. */
    UcpPayload incomingPayload() {
        return plan.receiveIov() ? list(incoming.segment()) : null;
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
    void flush() throws IOException {
        waiting.finish(worker.flush());
    }

    @Override
    void progress() {
        worker.progress();
    }

    @Override
    void disconnect() {
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
