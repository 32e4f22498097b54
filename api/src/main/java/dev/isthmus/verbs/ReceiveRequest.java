package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_recv_wr;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;

/**
 * A receive request: {@code struct ibv_recv_wr}. Each message takes one receive, and fails when that is too short for
 * it.
 */
public final class ReceiveRequest extends WorkRequest<ReceiveRequest> {

    private ReceiveRequest(Arena arena, int maxSge) {
        super(arena, ibv_recv_wr.layout(), maxSge, true);
    }

    /**
     * A receive into a whole region.
     *
     * @param arena owns the memory of the request
     * @param region the buffer; registered with LOCAL_WRITE
     * @return the request
     * @throws IllegalArgumentException if the region was registered without LOCAL_WRITE
     */
    public static ReceiveRequest prepare(Arena arena, MemoryRegion region) {
        return prepare(arena, 1).sge(0, region, 0, region.length());
    }

    /**
     * A receive of a message that is scattered to several buffers, at first none.
     *
     * @param arena owns the memory of the request
     * @param maxSge how many buffers it can have
     * @return the request
     * @throws IllegalArgumentException if {@code maxSge} is negative
     */
    public static ReceiveRequest prepare(Arena arena, int maxSge) {
        return new ReceiveRequest(arena, maxSge);
    }

    @Override
    @HotPath
    ReceiveRequest self() {
        return this;
    }
}
