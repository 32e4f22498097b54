// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucs.UcsConstants;

/** The loops of {@link UcxFeatureLoops} with JUCX. */
final class JucxFeatureLoops implements AutoCloseable {

    private static final int ID = 1;

    private final long outgoing;
    private final long incoming;
    private final JucxPair streams;
    private final JucxPair messages;
    private final JucxPair accesses;
    private final UcpMemory memory;
    private final UcpRemoteKey key;

    private int arrived;
    private int bytes;

    JucxFeatureLoops(UcxRow.Transport transport, long outgoing, long incoming) {
        this.outgoing = outgoing;
        this.incoming = incoming;
        streams = new JucxPair(transport, new UcpParams().requestStreamFeature());
        messages = new JucxPair(transport, new UcpParams().requestAmFeature());
        messages.receiver.setAmRecvHandler(ID, (header, headerBytes, data, reply) -> {
            arrived++;
            return UcsConstants.STATUS.UCS_OK;
        });
        accesses = new JucxPair(transport, new UcpParams().requestRmaFeature());
        memory = accesses.context.memoryMap(new UcpMemMapParams().allocate().setLength(JucxLoops.MAX_BYTES));
        key = accesses.there.unpackRemoteKey(memory.getRemoteKeyBuffer());
    }

    Blocks.Loop prepare(UcxRow row) {
        bytes = row.bytes();
        return switch (row.operation()) {
            case STREAM -> this::streams;
            case AM -> this::messages;
            case PUT -> this::puts;
            case GET -> this::gets;
            case PROGRESS, TAG -> throw new IllegalArgumentException("a loop of another class: " + row);
        };
    }

    private long streams(int count) {
        UcpWorker sender = streams.sender;
        UcpWorker receiver = streams.receiver;
        UcpEndpoint back = streams.back();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            UcpRequest received =
                    back.recvStreamNonBlocking(incoming, bytes, UcpConstants.UCP_STREAM_RECV_FLAG_WAITALL, null);
            UcpRequest sent = streams.there.sendStreamNonBlocking(outgoing, bytes, null);
            while (!received.isCompleted() || !sent.isCompleted()) {
                JucxLoops.progress(sender);
                JucxLoops.progress(receiver);
            }
        }
        return System.nanoTime() - begin;
    }

    private long messages(int count) {
        UcpWorker sender = messages.sender;
        UcpWorker receiver = messages.receiver;
        UcpEndpoint endpoint = messages.there;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int before = arrived;
            UcpRequest sent = endpoint.sendAmNonBlocking(ID, 0, 0, outgoing, bytes, 0, null);
            while (arrived == before || !sent.isCompleted()) {
                JucxLoops.progress(sender);
                JucxLoops.progress(receiver);
            }
        }
        return System.nanoTime() - begin;
    }

    private long puts(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            end(accesses.there.putNonBlocking(outgoing, bytes, memory.getAddress(), key, null));
        }
        return System.nanoTime() - begin;
    }

    private long gets(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            end(accesses.there.getNonBlocking(memory.getAddress(), key, incoming, bytes, null));
        }
        return System.nanoTime() - begin;
    }

    private void end(UcpRequest request) {
        while (!request.isCompleted()) {
            JucxLoops.progress(accesses.sender);
            JucxLoops.progress(accesses.receiver);
        }
    }

    @Override
    public void close() {
        key.close();
        memory.close();
        accesses.close();
        messages.close();
        streams.close();
    }
}
