// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** What the tests of an operation repeat, at either end. Those of one-sided operations have nothing to receive. */
abstract class UcxLoop {

    final UcxEnd end;
    final boolean pingPong;
    final boolean server;
    final long bytes;
    final Window sends;
    private final boolean progresses;

    UcxLoop(UcxEnd end) {
        this.end = end;
        pingPong = end.plan.test().isPingPong();
        server = end.server;
        bytes = end.plan.bytes();
        sends = new Window(end, end.plan.window());
        progresses = !end.plan.has(UcxPlan.ONE_SIDED);
    }

    /**
     * Runs this end's part of some iterations. Each operation calls {@link #repeat} in a method of its own, where the JIT
     * inlines it and knows the operation, whichever others this JVM has run.
     */
    abstract void run(int count) throws IOException;

    /** Begins a send. */
    abstract long post();

    /** Sends a message as soon as another one may be outstanding. */
    void send() throws IOException {
        sends.room();
        sends.add(post());
    }

    /** Receives one message of a ping-pong, to its end. */
    void receive() throws IOException {
        throw new UnsupportedOperationException("one-sided operations go in one direction only");
    }

    /** The server's part of a test in one direction: nothing shows before the last message, except that the peer has gone. */
    void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            pass();
        }
    }

    /** Progresses once, unless the test forbids it to the target. */
    final void pass() throws IOException {
        if (progresses) {
            end.pass();
        } else {
            end.idle();
        }
    }

    /** Before a run. */
    void begin() {}

    /** After a run: waits for everything that was begun. */
    void finish() throws IOException {
        sends.drain();
    }

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
