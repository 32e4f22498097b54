// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** What the tests of an operation repeat, at either end, with some binding of UCX. */
abstract class UcxLoop {

    /** One end's part of some iterations of a test. */
    interface Block {

        /** Runs this many iterations. */
        void run(int count) throws IOException;
    }

    /** Sends a message as soon as another one may be outstanding. */
    abstract void send() throws IOException;

    /** Receives one message of a ping-pong, to its end. */
    abstract void receive() throws IOException;

    /** The server's part of a test in one direction. */
    abstract void take(int count) throws IOException;

    /** Before a run. */
    void begin() {}

    /** After a run: waits for everything that was begun. */
    abstract void finish() throws IOException;

    /** What an end repeats. The server sends first in a ping-pong, and takes in a test in one direction. */
    final Block block(UcxEnd end) {
        if (end.plan.test().isPingPong()) {
            return end.server ? this::ask : this::answer;
        }
        return end.server ? this::take : this::give;
    }

    private void ask(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            send();
            receive();
        }
    }

    private void answer(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            receive();
            send();
        }
    }

    private void give(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            send();
        }
    }
}
