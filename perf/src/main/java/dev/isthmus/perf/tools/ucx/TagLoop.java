// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import java.io.IOException;

/** Tagged messages, and synchronous ones. */
final class TagLoop extends JavaLoop {

    static final long TAG = 0x1337a880L;

    private final UcpPayload outgoingPayload;
    private final UcpPayload incomingPayload;
    private final long mask;
    private final boolean synchronous;
    private final UcpTagMessage probed; // null unless requested
    private final Window receives;

    TagLoop(JavaEnd end) {
        super(end);
        outgoingPayload = end.outgoingPayload();
        incomingPayload = end.incomingPayload();
        mask = end.plan.has(UcxPlan.TAG_WILDCARD) ? UcpWorker.ANY_TAG : UcpWorker.EXACT_TAG;
        synchronous = end.plan.test().command == UcxTest.Command.TAG_SYNC;
        probed = end.plan.has(UcxPlan.TAG_PROBE) ? UcpTagMessage.of(worker) : null;
        receives = new Window(waiting, end.plan.window());
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    void send() throws IOException {
        sends.room();
        sends.add(post());
    }

    private long post() {
        if (synchronous) {
            return outgoingPayload == null
                    ? endpoint.tagSendSync(outgoing, 0, bytes, TAG)
                    : endpoint.tagSendSync(outgoingPayload, TAG);
        }
        return outgoingPayload == null
                ? endpoint.tagSend(outgoing, 0, bytes, TAG)
                : endpoint.tagSend(outgoingPayload, TAG);
    }

    @Override
    void receive() throws IOException {
        postReceive();
        receives.drain();
    }

    @Override
    void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            postReceive();
        }
    }

    private void postReceive() throws IOException {
        receives.room();
        if (probed != null) {
            while (!worker.tagProbe(TAG, mask, probed)) {
                waiting.pass();
            }
        }
        receives.add(
                incomingPayload == null
                        ? worker.tagReceive(incoming, 0, bytes, TAG, mask)
                        : worker.tagReceive(incomingPayload, TAG, mask));
    }

    @Override
    void finish() throws IOException {
        receives.drain();
        super.finish();
    }
}
