// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import java.lang.foreign.MemorySegment;

/** One registration of a cache. What changes is changed with the cache's lock. */
final class Registration<M> {

    final ScopeRegistrations<M> scope;
    final MemorySegment segment;
    final long begin;
    final long end;
    final long pinnedBytes;

    /** Null while it is being registered. */
    M memory;

    int leases;

    /** Whether it is among those that can be ended to make room, with its neighbours there. */
    boolean idle;

    Registration<M> older;
    Registration<M> newer;

    Registration(ScopeRegistrations<M> scope, MemorySegment segment, long pinnedBytes) {
        this.scope = scope;
        this.segment = segment;
        this.begin = segment.address();
        this.end = begin + segment.byteSize();
        this.pinnedBytes = pinnedBytes;
    }
}
