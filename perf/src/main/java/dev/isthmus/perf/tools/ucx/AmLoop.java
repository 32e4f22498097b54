// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpPayload;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Active messages. Messages that arrive by rendezvous are fetched as they arrive. */
final class AmLoop extends JavaLoop {

    private static final int ID = 1;
    private static final int MAX_FETCHES = 1 << 15;

    private final MemorySegment header;
    private final UcpPayload payload;
    private final Window fetches;
    private long awaited;
    private long received;

    AmLoop(JavaEnd end) {
        super(end);
        payload = end.outgoingPayload();
        header = end.header == null ? MemorySegment.NULL : end.header.segment();
        fetches = new Window(waiting, end.plan.window());
        worker.activeMessages().setHandler(ID, this::onMessage);
    }

    private void onMessage(UcpActiveMessage message) {
        if (message.isRendezvous()) {
            if (fetches.isFull()) {
                makeRoom();
            }
            fetches.add(message.receive(incoming));
        }
        received++;
    }

    /** Within one progress, some can end, which shows only afterwards, while others take their place. */
    private void makeRoom() {
        if (fetches.size() >= MAX_FETCHES) {
            throw new IllegalStateException("more active messages have arrived at once than the window allows");
        }
        fetches.grow();
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    void send() throws IOException {
        sends.room();
        sends.add(
                payload == null
                        ? endpoint.amSend(ID, header, 0, header.byteSize(), outgoing, 0, bytes, 0)
                        : endpoint.amSend(ID, header, payload, 0));
    }

    @Override
    void receive() throws IOException {
        awaited++;
        while (received < awaited) {
            waiting.pass();
        }
        fetches.drain();
    }

    @Override
    void take(int count) throws IOException {
        awaited += count;
        while (received < awaited) {
            if (fetches.isEmpty()) {
                waiting.pass();
            } else {
                fetches.finishOldest();
            }
        }
    }

    @Override
    void finish() throws IOException {
        fetches.drain();
        super.finish();
    }
}
