// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** One end of a test, with some binding of UCX. Confined to the thread that created it. */
interface UcxEnd extends AutoCloseable {

    /** What the peer must know of it. */
    EndpointInfo introduction();

    /** Connects to the peer. */
    void connect(EndpointInfo peer) throws IOException;

    /** Prepares a run: both ends do before either begins. */
    void begin();

    /** What the run repeats. */
    UcxBlock block();

    /** Ends the run: everything that was begun is done, and the peer knows it. */
    void finish() throws IOException;

    /** Waits until the peer has everything. */
    void flush() throws IOException;

    /** Progresses once. */
    void progress();

    /** Closes the endpoint, while the peer still progresses. */
    void disconnect();

    @Override
    void close();
}
