// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** Streams. */
final class StreamLoop extends UcxLoop {

    private final boolean takesData;
    private final boolean isList;
    private long early; // bytes that arrived with the end of the previous message

    StreamLoop(UcxEnd end) {
        super(end);
        takesData = end.plan.has(UcxPlan.STREAM_RECEIVE_DATA);
        isList = end.plan.receiveIov();
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
    long post() {
        return end.streamSend();
    }

    @Override
    void receive() throws IOException {
        if (takesData) {
            receiveData();
        } else if (isList) {
            end.finish(end.streamReceive(0));
        } else {
            long total = 0;
            while (total < bytes) {
                total += end.finishReceive(end.streamReceive(total));
            }
        }
    }

    private void receiveData() throws IOException {
        long total = early;
        while (total < bytes) {
            end.pass();
            total += end.streamTake();
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
