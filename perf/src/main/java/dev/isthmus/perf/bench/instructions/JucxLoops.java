// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.nio.ByteBuffer;
import java.util.List;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucs.UcsConstants;

/** The loops of {@link UcxLoops} with JUCX, UCX's own JNI binding. */
final class JucxLoops implements UcxProgram.Loops {

    private static final int MAX_BYTES = 4096;
    private static final long TAG = 7;
    private static final long EXACT = -1;
    private static final int ID = 1;

    private final ByteBuffer buffers = ByteBuffer.allocateDirect(2 * MAX_BYTES);
    private final JucxPair tags;
    private final JucxPair streams;
    private final JucxPair messages;
    private final JucxPair accesses;
    private final long outgoing;
    private final long incoming;
    private final UcpMemory memory;
    private final UcpRemoteKey key;
    private int arrived;
    private int bytes;

    JucxLoops(UcxRow.Transport transport) {
        tags = new JucxPair(transport, new UcpParams().requestTagFeature()); // first, as it loads JUCX's library
        outgoing = UcxUtils.getAddress(buffers);
        incoming = outgoing + MAX_BYTES;
        streams = new JucxPair(transport, new UcpParams().requestStreamFeature());
        messages = new JucxPair(transport, new UcpParams().requestAmFeature());
        messages.receiver.setAmRecvHandler(ID, (header, headerBytes, data, reply) -> {
            arrived++;
            return UcsConstants.STATUS.UCS_OK;
        });
        accesses = new JucxPair(transport, new UcpParams().requestRmaFeature());
        memory = accesses.context.memoryMap(new UcpMemMapParams().allocate().setLength(MAX_BYTES));
        key = accesses.there.unpackRemoteKey(memory.getRemoteKeyBuffer());
    }

    @Override
    public Blocks.Loop prepare(UcxRow row) {
        bytes = row.bytes();
        return switch (row.operation()) {
            case PROGRESS -> this::progresses;
            case TAG -> this::tags;
            case STREAM -> this::streams;
            case AM -> this::messages;
            case PUT -> this::puts;
            case GET -> this::gets;
        };
    }

    private long progresses(int count) {
        UcpWorker receiver = tags.receiver;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            progress(receiver);
        }
        return System.nanoTime() - begin;
    }

    private long tags(int count) {
        UcpWorker sender = tags.sender;
        UcpWorker receiver = tags.receiver;
        UcpEndpoint endpoint = tags.there;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            UcpRequest received = receiver.recvTaggedNonBlocking(incoming, bytes, TAG, EXACT, null);
            UcpRequest sent = endpoint.sendTaggedNonBlocking(outgoing, bytes, TAG, null);
            while (!received.isCompleted() || !sent.isCompleted()) {
                progress(sender);
                progress(receiver);
            }
        }
        return System.nanoTime() - begin;
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
                progress(sender);
                progress(receiver);
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
                progress(sender);
                progress(receiver);
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
            progress(accesses.sender);
            progress(accesses.receiver);
        }
    }

    private static void progress(UcpWorker worker) {
        try {
            worker.progress();
        } catch (Exception e) { // JUCX declares no narrower type
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        key.close();
        memory.close();
        List.of(accesses, messages, streams, tags).forEach(JucxPair::close);
    }
}
