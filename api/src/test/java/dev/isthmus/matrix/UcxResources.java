// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpEndpoint;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** What a cell has created, and how it is closed, in whatever state the cell has left it. */
final class UcxResources {

    private final UcxPeers peers;
    private final Faults faults;
    private final List<AutoCloseable> created = new ArrayList<>();

    UcxResources(UcxPeers peers, Faults faults) {
        this.peers = peers;
        this.faults = faults;
    }

    <T extends AutoCloseable> T add(T object) {
        created.add(object);
        return object;
    }

    boolean contains(AutoCloseable object) {
        return created.contains(object);
    }

    /** Closes what was created; returns what something else still needs. */
    List<AutoCloseable> close() {
        List<AutoCloseable> needed = new ArrayList<>();
        for (AutoCloseable object : created) {
            try {
                if (object instanceof UcpEndpoint endpoint && endpoint.isOpen() && !endpoint.isFailed()) {
                    peers.settle();
                }
                object.close();
            } catch (Exception e) {
                needed.add(object);
            }
        }
        return needed;
    }

    /**
     * Closes an object that nothing needs any more.
     *
     * @param object null if there is none
     * @param mayDrop whether a close may have dropped what was under way, so that its memory stays for ever
     */
    void closeAtLast(AutoCloseable object, boolean mayDrop) {
        if (object == null || (object instanceof Arena arena && !arena.scope().isAlive())) {
            return;
        }
        try {
            object.close();
        } catch (Exception e) {
            if (!mayDrop || !e.getMessage().contains("which dropped them when it was closed")) {
                faults.add("in the end, " + object + " cannot be closed: " + MatrixRun.trace(e));
            }
        }
    }
}
