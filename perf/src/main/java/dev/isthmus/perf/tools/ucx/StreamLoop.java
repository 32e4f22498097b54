// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpStream;
import dev.isthmus.ucx.UcpStreamData;
import java.io.IOException;

/** Streams. */
final class StreamLoop extends JavaLoop {

    private final UcpStream stream;
    private final UcpPayload outgoingPayload;
    private final UcpPayload incomingPayload;
    private final UcpStreamData data; // null unless requested
    private long early; // bytes that arrived with the end of the previous message

    StreamLoop(JavaEnd end) {
        super(end);
        stream = endpoint.stream();
        outgoingPayload = end.outgoingPayload();
        incomingPayload = end.incomingPayload();
        data = end.plan.has(UcxPlan.STREAM_RECEIVE_DATA) ? UcpStreamData.of(worker) : null;
    }

    @Override
    void begin() {
        early = 0;
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    void send() throws IOException {
        sends.room();
        sends.add(outgoingPayload == null ? stream.send(outgoing, 0, bytes) : stream.send(outgoingPayload));
    }

    @Override
    void receive() throws IOException {
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
    void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            receive();
        }
    }
}
