// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** One end of a test, with some binding of UCX. Confined to the thread that created it. */
abstract class UcxEnd implements AutoCloseable {

    final UcxPlan plan;
    final boolean server;
    final UcxLink link;

    UcxEnd(UcxPlan plan, boolean server, UcxLink link) {
        this.plan = plan;
        this.server = server;
        this.link = link;
    }

    /** What the peer must know of it. */
    abstract EndpointInfo introduction();

    /** Connects to the peer. */
    abstract void connect(EndpointInfo peer) throws IOException;

    /** What its tests repeat; there once it is connected. */
    abstract UcxLoop loop();

    /** Waits until the peer has everything. */
    abstract void flush() throws IOException;

    /** Progresses once. */
    abstract void progress();

    /** Closes the endpoint, while the peer still progresses. */
    abstract void disconnect();

    @Override
    public abstract void close();
}
