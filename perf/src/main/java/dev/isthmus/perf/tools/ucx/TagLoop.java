// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Tagged messages, and synchronous ones. */
final class TagLoop implements JavaLoop {

    static final long TAG = 0x1337a880L;

    private final UcpWorker worker;
    private final UcpEndpoint endpoint;
    private final UcxProgress waiting;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private final UcpPayload outgoingPayload;
    private final UcpPayload incomingPayload;
    private final long bytes;
    private final long mask;
    private final boolean synchronous;
    private final UcpTagMessage probed; // null unless requested
    private final Window sends;
    private final Window receives;

    TagLoop(JavaEnd end) {
        UcxPlan plan = end.plan();
        worker = end.worker();
        endpoint = end.endpoint();
        waiting = end.waiting();
        outgoing = end.outgoing();
        incoming = end.incoming();
        outgoingPayload = end.outgoingPayload();
        incomingPayload = end.incomingPayload();
        bytes = plan.bytes();
        mask = plan.has(UcxPlan.TAG_WILDCARD) ? UcpWorker.ANY_TAG : UcpWorker.EXACT_TAG;
        synchronous = plan.test().command() == UcxTest.Command.TAG_SYNC;
        probed = plan.has(UcxPlan.TAG_PROBE) ? UcpTagMessage.of(worker) : null;
        sends = new Window(waiting, plan.window());
        receives = new Window(waiting, plan.window());
    }

    @Override
    public void ask(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            sends.room();
            sends.add(send());
            receives.room();
            receives.add(receive());
            receives.drain();
        }
    }

    @Override
    public void answer(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            receives.room();
            receives.add(receive());
            receives.drain();
            sends.room();
            sends.add(send());
        }
    }

    @Override
    public void give(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            sends.room();
            sends.add(send());
        }
    }

    @Override
    public void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            receives.room();
            receives.add(receive());
        }
    }

    private long send() {
        if (synchronous) {
            return outgoingPayload == null
                    ? endpoint.tagSendSync(outgoing, 0, bytes, TAG)
                    : endpoint.tagSendSync(outgoingPayload, TAG);
        }
        return outgoingPayload == null
                ? endpoint.tagSend(outgoing, 0, bytes, TAG)
                : endpoint.tagSend(outgoingPayload, TAG);
    }

    private long receive() throws IOException {
        if (probed != null) {
            while (!worker.tagProbe(TAG, mask, probed)) {
                waiting.pass();
            }
        }
        return incomingPayload == null
                ? worker.tagReceive(incoming, 0, bytes, TAG, mask)
                : worker.tagReceive(incomingPayload, TAG, mask);
    }

    @Override
    public void finish() throws IOException {
        receives.drain();
        sends.drain();
    }
}
