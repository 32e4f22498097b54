// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import java.lang.foreign.MemorySegment;

/** One registration of a cache. The cache's lock guards all changes. */
final class CachedRegistration<M> {

    final ScopeRegistrations<M> scope;
    final MemorySegment segment;
    final long begin;
    final long end;
    final long pinnedBytes;

    /** Null while it is being registered. */
    M memory;

    int leases;

    /**
     * Whether it is in the list of registrations that can be ended to make room; the next two fields are its
     * neighbours there.
     */
    boolean idle;

    CachedRegistration<M> older;
    CachedRegistration<M> newer;

    CachedRegistration(ScopeRegistrations<M> scope, MemorySegment segment, long pinnedBytes) {
        this.scope = scope;
        this.segment = segment;
        this.begin = segment.address();
        this.end = begin + segment.byteSize();
        this.pinnedBytes = pinnedBytes;
    }
}
