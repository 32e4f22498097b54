// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** Tagged messages, and synchronous ones. */
final class TagLoop extends UcxLoop {

    private final Window receives;

    TagLoop(UcxEnd end) {
        super(end);
        receives = new Window(end, end.plan.window());
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    long post() {
        return end.tagSend();
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
        while (!end.hasTag()) {
            end.pass();
        }
        receives.add(end.tagReceive());
    }

    @Override
    void finish() throws IOException {
        receives.drain();
        super.finish();
    }
}
