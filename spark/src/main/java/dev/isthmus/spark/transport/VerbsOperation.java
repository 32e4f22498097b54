// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.util.function.Consumer;

/**
 * A send or READ of one connection, whose memory is the device's until it ends. Confined to the transport's thread.
 */
final class VerbsOperation {

    private final VerbsPeer peer;
    private final Consumer<SendRequest> fill;
    private final Consumer<Boolean> ended;
    private final Consumer<SendRequest> probe; // null unless it is a READ

    /** The first consumer fills a request, the second is told once whether it has succeeded. */
    VerbsOperation(VerbsPeer peer, Consumer<SendRequest> fill, Consumer<Boolean> ended) {
        this(peer, fill, ended, null);
    }

    private VerbsOperation(
            VerbsPeer peer, Consumer<SendRequest> fill, Consumer<Boolean> ended, Consumer<SendRequest> probe) {
        this.peer = peer;
        this.fill = fill;
        this.ended = ended;
        this.probe = probe;
    }

    /**
     * A READ of a part of a peer's memory into a received slice.
     *
     * @param offset where in that memory the part begins
     */
    static VerbsOperation read(
            VerbsContext context,
            VerbsPeer peer,
            RemoteMemory from,
            long offset,
            long length,
            long slice,
            Consumer<Boolean> ended) {
        return new VerbsOperation(
                peer,
                request -> read(context, request, from, offset, length, slice),
                ended,
                request -> read(context, request, from, offset, 1, slice));
    }

    private static void read(
            VerbsContext context, SendRequest request, RemoteMemory from, long offset, long length, long slice) {
        context.received()
                .into(request, slice, 0, length)
                .opcode(SendOpcode.RDMA_READ)
                .remote(from, offset);
    }

    boolean isRead() {
        return probe != null;
    }

    /** READs the first byte again, whose completion shows that this READ has been done. */
    VerbsOperation again() {
        return new VerbsOperation(peer, probe, _ -> {});
    }

    void fill(SendRequest request) {
        fill.accept(request);
    }

    void end(boolean success) {
        ended.accept(success);
    }

    /** Ends it if it is of a connection that is gone; returns whether it is. */
    boolean endIfOf(VerbsPeer gone) {
        boolean is = peer.equals(gone);
        if (is) {
            end(false);
        }
        return is;
    }
}
