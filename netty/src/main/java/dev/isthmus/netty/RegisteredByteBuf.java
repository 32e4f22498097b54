// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.nio.stream.SendMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** A buffer of an {@link RdmaByteBufAllocator}: a block of a size class, or a smaller part of it. */
final class RegisteredByteBuf extends NativeByteBuf {

    private final RdmaByteBufAllocator allocator;
    private Block block;

    /** Memory for one buffer. */
    record Block(SendMemory slab, ByteBuffer bytes, long address, int sizeClass) {

        int length() {
            return bytes.capacity();
        }
    }

    RegisteredByteBuf(RdmaByteBufAllocator allocator, Block block) {
        this.allocator = allocator;
        this.block = block;
    }

    Block block() {
        return block;
    }

    /** Begins a life with this capacity, for which the block has room. */
    RegisteredByteBuf begin(int capacity, int maxCapacity) {
        begin(block.bytes(), block.address(), 0, capacity, maxCapacity);
        return this;
    }

    @Override
    public ByteBufAllocator alloc() {
        return allocator;
    }

    @Override
    public ByteBuf capacity(int wanted) {
        checkNewCapacity(wanted);
        if (wanted > block.length()) {
            moveTo(wanted);
        } else {
            resize(wanted);
        }
        setIndex(Math.min(readerIndex(), wanted), Math.min(writerIndex(), wanted));
        return this;
    }

    /** Exchanges its block for a larger one. */
    private void moveTo(int wanted) {
        RegisteredByteBuf larger = allocator.take(wanted);
        Block old = block;
        larger.block.bytes().put(0, old.bytes(), 0, capacity());
        block = larger.block;
        larger.block = old;
        cover(block.bytes(), block.address(), 0, wanted);
        allocator.give(larger);
    }

    @Override
    protected void deallocate() {
        allocator.give(this);
    }
}
