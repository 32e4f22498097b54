// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** What the tests of an operation repeat, at either end. */
interface JavaLoop {

    /** The server's part of a ping-pong: it sends first. */
    void ask(int count) throws IOException;

    /** The client's part of a ping-pong. */
    void answer(int count) throws IOException;

    /** The client's part of a test in one direction. */
    void give(int count) throws IOException;

    /** The server's part of a test in one direction. */
    void take(int count) throws IOException;

    /** Before a run. */
    default void begin() {}

    /** After a run: waits for everything that was begun. */
    void finish() throws IOException;
}
