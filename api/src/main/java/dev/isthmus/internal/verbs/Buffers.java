// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.HotPath;

/**
 * The buffers of a request, as C has them: an array of {@code struct ibv_sge} in memory of the request's. A part of a receive
 * request.
 *
 * @param <M> the memory region of verbs
 * @param <P> the protection domain of verbs
 */
public interface Buffers<M, P> {

    /** Sets a buffer, or appends one. */
    @HotPath
    void set(int index, M region, long offset, long length);

    /** Checks that all regions can still be used. */
    @HotPath
    void checkUsable();

    /** Checks that all regions are of a domain, or a part of the same. */
    void checkDomain(P domain, Object queue);

    /** The length of all, in bytes. */
    @HotPath
    long total();

    /** Where the array is. */
    long address();
}
