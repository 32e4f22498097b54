// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.RdmaException;
import dev.isthmus.buffers.RegionPool;

/** What the parts of a {@link VerbsTransport} share: received blocks, messages that are sent, and files to read. */
record VerbsContext(
        Settings settings,
        VerbsSeals seals,
        BlockSource source,
        TransportLog log,
        Figures figures,
        TransportTasks tasks,
        RegionPool received,
        RegionPool sends,
        FileRegions files) {

    /** Takes a slice; 0 if there is none, or if the system lets no more memory be registered. */
    static long tryAcquire(RegionPool pool) {
        try {
            return pool.tryAcquire();
        } catch (RdmaException e) {
            return 0;
        }
    }
}
