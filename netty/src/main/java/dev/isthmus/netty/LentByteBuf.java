// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.nio.stream.Loan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.Recycler;

/**
 * Received bytes where the peer has written them. Its release, on any thread, lets the peer write there again. It cannot
 * grow.
 */
final class LentByteBuf extends NativeByteBuf {

    private static final Recycler<LentByteBuf> UNUSED = new Recycler<>() {
        @Override
        protected LentByteBuf newObject(Handle<LentByteBuf> handle) {
            return new LentByteBuf(handle);
        }
    };

    private final Recycler.Handle<LentByteBuf> handle;
    private final Loan loan = new Loan();
    private ByteBufAllocator allocator;

    private LentByteBuf(Recycler.Handle<LentByteBuf> handle) {
        this.handle = handle;
    }

    /** A buffer whose loan has not begun. */
    static LentByteBuf take() {
        return UNUSED.get();
    }

    Loan loan() {
        return loan;
    }

    /** The loan has not begun, and will not. */
    void putBack() {
        handle.recycle(this);
    }

    /** Begins a life with the bytes that the loan has got. */
    ByteBuf begin(int length, ByteBufAllocator by) {
        allocator = by;
        begin(loan.memory(), loan.address(), loan.offset(), length, length);
        writerIndex(length);
        return RdmaByteBufAllocator.leakAware(this);
    }

    @Override
    public ByteBufAllocator alloc() {
        return allocator;
    }

    @Override
    public ByteBuf capacity(int wanted) {
        checkNewCapacity(wanted);
        resize(wanted);
        setIndex(Math.min(readerIndex(), wanted), Math.min(writerIndex(), wanted));
        return this;
    }

    @Override
    protected void deallocate() {
        loan.end();
        handle.recycle(this);
    }
}
