// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpStream;
import dev.isthmus.ucx.UcpStreamData;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Streams. */
final class StreamLoop implements JavaLoop {

    private final UcpStream stream;
    private final UcxProgress waiting;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private final UcpPayload outgoingPayload;
    private final UcpPayload incomingPayload;
    private final long bytes;
    private final UcpStreamData data; // null unless requested
    private final Window sends;
    private long early; // bytes that arrived with the end of the previous message

    StreamLoop(JavaEnd end) {
        UcxPlan plan = end.plan();
        stream = end.endpoint().stream();
        waiting = end.waiting();
        outgoing = end.outgoing();
        incoming = end.incoming();
        outgoingPayload = end.outgoingPayload();
        incomingPayload = end.incomingPayload();
        bytes = plan.bytes();
        data = plan.has(UcxPlan.STREAM_RECEIVE_DATA) ? UcpStreamData.of(end.worker()) : null;
        sends = new Window(waiting, plan.window());
    }

    @Override
    public void begin() {
        early = 0;
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
        for (int i = 0; i < count; i++) {
            receive();
        }
    }

    private long send() {
        return outgoingPayload == null ? stream.send(outgoing, 0, bytes) : stream.send(outgoingPayload);
    }

    private void receive() throws IOException {
        if (data != null) {
            receiveData();
        } else if (incomingPayload == null) {
            long total = 0;
            while (total < bytes) {
                total += waiting.finishReceive(stream.receive(incoming, total, bytes - total));
            }
        } else {
            waiting.finish(stream.receiveAll(incomingPayload));
        }
    }

    private void receiveData() throws IOException {
        long total = early;
        while (total < bytes) {
            waiting.pass();
            if (stream.receiveData(data)) {
                total += data.length();
                data.release();
            }
        }
        early = total - bytes;
    }

    @Override
    public void finish() throws IOException {
        sends.drain();
    }
}
