// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_ece;
import java.lang.foreign.MemorySegment;

/**
 * Vendor options that both ends of a connection agree on: {@code struct ibv_ece}, enhanced connection establishment.
 * One end sends what {@link QueuePair#ece} returns to the other, which sets it and answers.
 *
 * @param vendorId the IEEE OUI of the vendor; not 0 when you set it
 * @param options defined by the vendor
 */
public record ConnectionEstablishment(int vendorId, int options) {

    static ConnectionEstablishment read(MemorySegment ece) {
        return new ConnectionEstablishment(ibv_ece.vendor_id(ece), ibv_ece.options(ece));
    }

    void write(MemorySegment ece) {
        ibv_ece.vendor_id(ece, vendorId);
        ibv_ece.options(ece, options);
    }
}
