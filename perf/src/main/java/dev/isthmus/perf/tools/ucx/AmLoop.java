// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** Active messages. Messages that arrive by rendezvous are fetched as they arrive. */
final class AmLoop extends UcxLoop {

    private final Window fetches;
    private long awaited;
    private long received;

    AmLoop(UcxEnd end) {
        super(end);
        fetches = new Window(end, end.plan.window());
        end.handleMessages(this::onMessage);
    }

    private void onMessage(long fetch) {
        if (fetch != 0) {
            fetches.addOneMore(fetch);
        }
        received++;
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    long post() {
        return end.amSend();
    }

    @Override
    void receive() throws IOException {
        awaited++;
        while (received < awaited) {
            end.pass();
        }
        fetches.drain();
    }

    @Override
    void take(int count) throws IOException {
        awaited += count;
        while (received < awaited) {
            if (fetches.isEmpty()) {
                end.pass();
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
