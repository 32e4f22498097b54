// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.HotPath;

/**
 * The buffers of a request in C's form: an array of {@code struct ibv_sge} in the request's memory. A part of a
 * receive request.
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

    /** Checks that all regions belong to a domain, or to one that shares it. */
    void checkDomain(P domain, Object queue);

    /** The total length, in bytes. */
    @HotPath
    long total();

    /** The address of the array. */
    long address();
}
