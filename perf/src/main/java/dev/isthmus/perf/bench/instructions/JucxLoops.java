// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.nio.ByteBuffer;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;

/** The loops of {@link UcxLoops} with JUCX, UCX's own JNI binding. */
final class JucxLoops implements UcxProgram.Loops {

    static final int MAX_BYTES = 4096;

    private static final long TAG = 7;
    private static final long EXACT = -1;

    private final JucxPair pair;
    private final UcpWorker sender;
    private final UcpWorker receiver;
    private final UcpEndpoint endpoint;
    private final ByteBuffer buffers = ByteBuffer.allocateDirect(2 * MAX_BYTES);
    private final long outgoing;
    private final long incoming;
    private final JucxFeatureLoops others;

    private int bytes;

    JucxLoops(UcxRow.Transport transport) {
        pair = new JucxPair(transport, new UcpParams().requestTagFeature()); // first, as it loads JUCX's library
        outgoing = UcxUtils.getAddress(buffers);
        incoming = outgoing + MAX_BYTES;
        sender = pair.sender;
        receiver = pair.receiver;
        endpoint = pair.there;
        others = new JucxFeatureLoops(transport, outgoing, incoming);
    }

    @Override
    public Blocks.Loop prepare(UcxRow row) {
        bytes = row.bytes();
        return switch (row.operation()) {
            case PROGRESS -> this::progresses;
            case TAG -> this::tags;
            case STREAM, AM, PUT, GET -> others.prepare(row);
        };
    }

    private long tags(int count) {
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

    private long progresses(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            progress(receiver);
        }
        return System.nanoTime() - begin;
    }

    static void progress(UcpWorker worker) {
        try {
            worker.progress();
        } catch (Exception e) { // JUCX declares no narrower type
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        others.close();
        pair.close();
    }
}
