// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpPayload;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Active messages. Messages that arrive by rendezvous are fetched as they arrive. */
final class AmLoop implements JavaLoop {

    private static final int ID = 1;
    private static final int MAX_FETCHES = 1 << 15;

    private final UcpEndpoint endpoint;
    private final UcxProgress waiting;
    private final MemorySegment header;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private final UcpPayload outgoingPayload;
    private final long bytes;
    private final Window sends;
    private final Window fetches;
    private long awaited;
    private long received;

    AmLoop(JavaEnd end) {
        UcxPlan plan = end.plan();
        endpoint = end.endpoint();
        waiting = end.waiting();
        outgoing = end.outgoing();
        incoming = end.incoming();
        outgoingPayload = end.outgoingPayload();
        bytes = plan.bytes();
        header = end.header();
        sends = new Window(waiting, plan.window());
        fetches = new Window(waiting, plan.window());
        end.worker().activeMessages().setHandler(ID, this::onMessage);
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
    public void ask(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            sends.room();
            sends.add(send());
            receive();
        }
    }

    @Override
    public void answer(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            receive();
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
        awaited += count;
        while (received < awaited) {
            if (fetches.isEmpty()) {
                waiting.pass();
            } else {
                fetches.finishOldest();
            }
        }
    }

    private long send() {
        return outgoingPayload == null
                ? endpoint.amSend(ID, header, 0, header.byteSize(), outgoing, 0, bytes, 0)
                : endpoint.amSend(ID, header, outgoingPayload, 0);
    }

    private void receive() throws IOException {
        awaited++;
        while (received < awaited) {
            waiting.pass();
        }
        fetches.drain();
    }

    @Override
    public void finish() throws IOException {
        fetches.drain();
        sends.drain();
    }
}
