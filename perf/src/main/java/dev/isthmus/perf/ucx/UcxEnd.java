// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import java.io.IOException;

/** One end of a test, by some binding of UCX. Confined to the thread that made it. */
interface UcxEnd extends AutoCloseable {

    /** What the peer has to know of it. */
    Introduction introduction();

    /** Connects to the peer. */
    void connect(Introduction peer) throws IOException;

    /** Prepares a run: both ends do before either begins. */
    void begin();

    /** What the run repeats. */
    UcxBlock block();

    /** Ends the run: all that was begun is done, and the peer knows. */
    void finish() throws IOException;

    /** Waits until the peer has all. */
    void flush() throws IOException;

    /** Progresses once. */
    void progress();

    /** Closes the endpoint, while the peer still progresses. */
    void disconnect();

    @Override
    void close();
}
