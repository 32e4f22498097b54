// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** What the tests of an operation repeat, at either end, with some binding of UCX. */
abstract class UcxLoop {

    final boolean pingPong;
    final boolean server;

    UcxLoop(UcxEnd end) {
        pingPong = end.plan.test().isPingPong();
        server = end.server;
    }

    /**
     * Runs this end's part of some iterations. Each operation calls {@link #repeat} in a method of its own, where the JIT
     * inlines it and knows the operation, whichever others this JVM has run.
     */
    abstract void run(int count) throws IOException;

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

    /** The server sends first in a ping-pong, and takes in a test in one direction. */
    final void repeat(int count) throws IOException {
        if (!pingPong) {
            if (server) {
                take(count);
            } else {
                give(count);
            }
        } else if (server) {
            ask(count);
        } else {
            answer(count);
        }
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
