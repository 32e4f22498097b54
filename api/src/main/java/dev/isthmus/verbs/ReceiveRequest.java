// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_recv_wr;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.Buffers;

/**
 * A receive request: {@code struct ibv_recv_wr}. Each message takes one receive, and fails if that is too short for it.
 */
public final class ReceiveRequest extends WorkRequest<ReceiveRequest> {

    static {
        Natives.of(ReceiveRequest.class).exposes(Buffers.class, ReceiveRequest::buffers);
    }

    private ReceiveRequest(int maxSge) {
        super(ibv_recv_wr.layout(), maxSge, true);
    }

    /**
     * A receive into a whole region.
     *
     * @param region the buffer; registered with LOCAL_WRITE
     * @return the request
     * @throws IllegalArgumentException if the region was registered without LOCAL_WRITE
     */
    public static ReceiveRequest prepare(MemoryRegion region) {
        return prepare(1).sge(0, region, 0, region.length());
    }

    /**
     * A receive of a message that is scattered to several buffers; it has none yet.
     *
     * @param maxSge how many buffers it can have
     * @return the request
     * @throws IllegalArgumentException if {@code maxSge} is negative or above 65,536
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static ReceiveRequest prepare(int maxSge) {
        return new ReceiveRequest(checked(maxSge));
    }

    @Override
    @HotPath
    boolean namesMore() {
        return false;
    }

    @Override
    @HotPath
    void lengthChanged(long length) {}
}
