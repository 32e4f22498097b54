// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.ucx.UcpRemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Numbers the uses of slices, so that whoever has fetched a part knows whether the slice held it all the time. The
 * number lies behind the slice. It changes before the slice is filled anew, and is fetched after the part: by the same
 * get, if a get copies in order. Confined to the transport's thread.
 */
final class SliceUses {

    /** The bytes of a number. */
    static final int BYTES = Long.BYTES;

    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final int sliceBytes;
    private final Deque<MemorySegment> free = new ArrayDeque<>(); // where numbers are fetched to
    private long last;

    SliceUses(int sliceBytes) {
        this.sliceBytes = sliceBytes;
    }

    /** Begins a use of a slice, before it is filled: its number. */
    long begin(MemorySegment slice) {
        slice.set(NUMBER, sliceBytes, ++last);
        return last;
    }

    /** Whether a peer's memory has room for a slice there, and for its number. */
    boolean isWithin(UcpRemoteMemory memory, long place) {
        return place <= memory.byteSize() - sliceBytes - BYTES;
    }

    /** After a part has been fetched: passes on null if the slice still has the same use, or else what is wrong. */
    void check(UcpRemoteMemory memory, PeerMessage.Slice slice, Consumer<Throwable> then) {
        MemorySegment number = free.isEmpty() ? Arena.ofAuto().allocate(BYTES) : free.pop();
        CompletableFuture<Void> got;
        VarHandle.acquireFence(); // over shared memory UCX copies: on aarch64, too, the number is loaded after the part
        try {
            got = memory.getAsync(number, 0, BYTES, slice.place() + sliceBytes);
        } catch (RuntimeException e) { // the connection has ended
            free.push(number);
            then.accept(e);
            return;
        }
        var _ = got.whenComplete((_, failure) -> { // keeps the memory of the number
            Throwable wrong = failure == null ? check(number.get(NUMBER, 0), slice) : failure;
            free.push(number);
            then.accept(wrong);
        });
    }

    /** Null if a slice that was fetched with the number behind it still had the same use, or else what is wrong. */
    Throwable check(MemorySegment fetched, PeerMessage.Slice slice) {
        return check(fetched.get(NUMBER, sliceBytes), slice);
    }

    private static Throwable check(long use, PeerMessage.Slice slice) {
        return use == slice.use()
                ? null
                : new BadMessageException("part " + slice.part() + " of a block of " + slice.blockBytes()
                        + " bytes is no longer in its slice");
    }
}
