// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpAtomic;
import dev.isthmus.ucx.UcpBuffer;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpErrorHandling;
import dev.isthmus.ucx.UcpIov;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpOperationOption;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpRemoteAtomics;
import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpStream;
import dev.isthmus.ucx.UcpStreamData;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.LongConsumer;

/** An end that uses Isthmus. */
final class JavaEnd extends UcxEnd {

    private final UcpContext context;
    private final UcpWorker worker;
    private final UcpRequests requests;
    private final UcpMemory outgoing;
    private final UcpMemory incoming;
    private final MemorySegment from;
    private final MemorySegment to;
    private final UcpMemory header; // of an active message; null for none
    private final MemorySegment headerBytes;
    private final long bytes;
    private final long mask;
    private final boolean synchronous;
    private final UcpPayload payload; // what is sent if it is more than a plain buffer, such as a list; otherwise null
    private final UcpPayload list; // what is received into if it is a list of buffers; otherwise null
    private final UcpTagMessage probed; // null unless requested
    private final UcpStreamData data; // null unless requested
    private UcpEndpoint endpoint; // null until it is connected
    private UcpStream stream; // likewise, and for other operations
    private UcpRemoteMemory remote; // likewise, and for operations that are not one-sided
    private UcpRemoteAtomics atomics;

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
        requests = worker.requests();
        outgoing = allocate();
        incoming = allocate();
        from = outgoing.segment();
        to = incoming.segment();
        header = plan.header() == 0 ? null : context.allocate(plan.header());
        headerBytes = header == null ? MemorySegment.NULL : header.segment();
        bytes = plan.bytes();
        mask = plan.has(UcxPlan.TAG_WILDCARD) ? UcpWorker.ANY_TAG : UcpWorker.EXACT_TAG;
        synchronous = plan.test().command == UcxTest.Command.TAG_SYNC;
        payload = plan.test().command.isOneSided() ? null : payload();
        list = plan.receiveIov() ? list(to) : null;
        probed = plan.has(UcxPlan.TAG_PROBE) ? UcpTagMessage.of(worker) : null;
        data = plan.has(UcxPlan.STREAM_RECEIVE_DATA) ? UcpStreamData.of(worker) : null;
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
    void open(EndpointInfo peer) {
        endpoint = worker.createEndpoint(UcpAddress.ofRaw(peer.address()), config -> {
            if (plan.has(UcxPlan.ERROR_HANDLING)) {
                config.errorHandling(UcpErrorHandling.PEER);
            }
        });
        if (plan.test().command.isOneSided()) {
            remote = endpoint.unpack(UcpPackedKey.ofRaw(peer.memory(), plan.bytes(), peer.key()));
        }
        stream = plan.test().command == UcxTest.Command.STREAM ? endpoint.stream() : null;
        atomics = plan.test().command.isAtomic() ? remote.atomics() : null;
    }

    private UcpPayload payload() {
        UcpPayload whole =
                plan.sendIov() ? list(from) : UcpBuffer.of(worker, from).range(0, bytes);
        if (!plan.test().isPingPong()) {
            return whole.options(UcpOperationOption.MULTI_SEND);
        }
        return plan.sendIov() ? whole : null;
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
    MemorySegment outgoing() {
        return from;
    }

    @Override
    MemorySegment incoming() {
        return to;
    }

    @Override
    long tagSend() {
        if (synchronous) {
            return payload == null ? endpoint.tagSendSync(from, 0, bytes, TAG) : endpoint.tagSendSync(payload, TAG);
        }
        return payload == null ? endpoint.tagSend(from, 0, bytes, TAG) : endpoint.tagSend(payload, TAG);
    }

    @Override
    long tagReceive() {
        return list == null ? worker.tagReceive(to, 0, bytes, TAG, mask) : worker.tagReceive(list, TAG, mask);
    }

    @Override
    boolean hasTag() {
        return probed == null || worker.tagProbe(TAG, mask, probed);
    }

    @Override
    long streamSend() {
        return payload == null ? stream.send(from, 0, bytes) : stream.send(payload);
    }

    @Override
    long streamReceive(long offset) {
        return list == null ? stream.receive(to, offset, bytes - offset) : stream.receiveAll(list);
    }

    @Override
    long streamTake() {
        if (!stream.receiveData(data)) {
            return 0;
        }
        long length = data.length();
        data.release();
        return length;
    }

    @Override
    long amSend() {
        return payload == null
                ? endpoint.amSend(MESSAGE_ID, headerBytes, 0, headerBytes.byteSize(), from, 0, bytes, 0)
                : endpoint.amSend(MESSAGE_ID, headerBytes, payload, 0);
    }

    @Override
    void handleMessages(LongConsumer handler) {
        worker.activeMessages()
                .setHandler(MESSAGE_ID, message -> handler.accept(message.isRendezvous() ? message.receive(to) : 0));
    }

    @Override
    long put() {
        return remote.put(from, 0, bytes, 0);
    }

    @Override
    long get() {
        return remote.get(from, 0, bytes, 0);
    }

    @Override
    long atomic(long operand) {
        return bytes == Long.BYTES ? atomic64(operand) : atomic32((int) operand);
    }

    private long atomic64(long operand) {
        return switch (plan.test().command) {
            case ADD -> atomics.apply64(UcpAtomic.ADD, 0, operand);
            case FADD -> atomics.fetch64(UcpAtomic.ADD, 0, operand);
            case SWAP -> atomics.fetch64(UcpAtomic.SWAP, 0, operand);
            default -> atomics.compareAndSwap64(0, 0, operand);
        };
    }

    private long atomic32(int operand) {
        return switch (plan.test().command) {
            case ADD -> atomics.apply32(UcpAtomic.ADD, 0, operand);
            case FADD -> atomics.fetch32(UcpAtomic.ADD, 0, operand);
            case SWAP -> atomics.fetch32(UcpAtomic.SWAP, 0, operand);
            default -> atomics.compareAndSwap32(0, 0, operand);
        };
    }

    @Override
    void fence() {
        worker.fence();
    }

    @Override
    long beginFlush() {
        return worker.flush();
    }

    @Override
    int progress() {
        return worker.progress();
    }

    @Override
    boolean isDone(long request) {
        return requests.isDone(request);
    }

    @Override
    int statusCode(long request) {
        return requests.statusCode(request);
    }

    @Override
    long length(long request) {
        return requests.length(request);
    }

    @Override
    void release(long request) {
        requests.release(request);
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
