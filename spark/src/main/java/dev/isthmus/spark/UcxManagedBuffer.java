// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import dev.isthmus.spark.transport.Received;
import io.netty.buffer.Unpooled;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;

/** A received block in Spark's terms: Spark counts the references of the block itself. */
final class UcxManagedBuffer extends ManagedBuffer {

    private final Received block;

    UcxManagedBuffer(Received block) {
        this.block = block;
    }

    @Override
    public long size() {
        return block.size();
    }

    @Override
    public ByteBuffer nioByteBuffer() {
        return block.bytes();
    }

    @Override
    public InputStream createInputStream() {
        return block.stream();
    }

    @Override
    public ManagedBuffer retain() {
        block.retain();
        return this;
    }

    @Override
    public ManagedBuffer release() {
        block.release();
        return this;
    }

    // Spark converts blocks that it sends, and this one was received. A copy is right for any other caller.
    @Override
    public Object convertToNetty() {
        return Unpooled.copiedBuffer(block.bytes());
    }

    @Override
    public Object convertToNettyForSsl() {
        return convertToNetty();
    }

    @Override
    public String toString() {
        return "UcxManagedBuffer(" + size() + " bytes)";
    }
}
