// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * A buffer in native memory that a direct {@link ByteBuffer} covers, and that is not Netty's. Instances are used again:
 * {@link #begin} starts the next life of one.
 */
abstract class NativeByteBuf extends AbstractReferenceCountedByteBuf {

    private ByteBuffer memory; // in big-endian order
    private ByteBuffer view; // of it, with position and limit of its own; null until it is needed
    private long address; // of the buffer's first byte
    private int offset; // of the buffer's first byte in the memory
    private int capacity;

    NativeByteBuf() {
        super(0);
    }

    /** Begins a life with one reference. The memory is big-endian. */
    final void begin(ByteBuffer of, long ofAddress, int from, int length, int maxCapacity) {
        resetRefCnt();
        maxCapacity(maxCapacity);
        cover(of, ofAddress, from, length);
        setIndex(0, 0);
        markReaderIndex();
        markWriterIndex();
    }

    /** Covers other memory. */
    @SuppressWarnings("ReferenceEquality") // a view is of one buffer
    final void cover(ByteBuffer of, long ofAddress, int from, int length) {
        if (memory != of) {
            memory = of;
            view = null;
        }
        address = ofAddress + from;
        offset = from;
        capacity = length;
    }

    final void resize(int length) {
        capacity = length;
    }

    @Override
    public final int capacity() {
        return capacity;
    }

    @Override
    @SuppressWarnings("deprecation") // as Netty's class is
    public final ByteOrder order() {
        return ByteOrder.BIG_ENDIAN;
    }

    @Override
    public final ByteBuf unwrap() {
        return null;
    }

    @Override
    public final boolean isDirect() {
        return true;
    }

    @Override
    public final boolean isContiguous() {
        return true;
    }

    @Override
    public final boolean hasArray() {
        return false;
    }

    @Override
    public final byte[] array() {
        throw new UnsupportedOperationException("native memory");
    }

    @Override
    public final int arrayOffset() {
        throw new UnsupportedOperationException("native memory");
    }

    @Override
    public final boolean hasMemoryAddress() {
        return true;
    }

    @Override
    public final long memoryAddress() {
        ensureAccessible();
        return address;
    }

    @Override
    public final int nioBufferCount() {
        return 1;
    }

    @Override
    public final ByteBuffer nioBuffer(int index, int length) {
        checkIndex(index, length);
        return memory.slice(offset + index, length); // in big-endian order, too
    }

    @Override
    public final ByteBuffer[] nioBuffers(int index, int length) {
        return new ByteBuffer[] {nioBuffer(index, length)};
    }

    @Override
    public final ByteBuffer internalNioBuffer(int index, int length) {
        checkIndex(index, length);
        if (view == null) {
            view = memory.duplicate();
        }
        return view.limit(offset + index + length).position(offset + index);
    }

    @Override
    public final ByteBuf copy(int index, int length) {
        checkIndex(index, length);
        return alloc().directBuffer(length, maxCapacity()).writeBytes(this, index, length);
    }

    @Override
    protected final byte _getByte(int index) {
        return memory.get(offset + index);
    }

    @Override
    protected final void _setByte(int index, int value) {
        memory.put(offset + index, (byte) value);
    }

    @Override
    protected final short _getShort(int index) {
        return memory.getShort(offset + index);
    }

    @Override
    protected final void _setShort(int index, int value) {
        memory.putShort(offset + index, (short) value);
    }

    @Override
    protected final short _getShortLE(int index) {
        return Short.reverseBytes(_getShort(index));
    }

    @Override
    protected final void _setShortLE(int index, int value) {
        _setShort(index, Short.reverseBytes((short) value));
    }

    @Override
    protected final int _getInt(int index) {
        return memory.getInt(offset + index);
    }

    @Override
    protected final void _setInt(int index, int value) {
        memory.putInt(offset + index, value);
    }

    @Override
    protected final int _getIntLE(int index) {
        return Integer.reverseBytes(_getInt(index));
    }

    @Override
    protected final void _setIntLE(int index, int value) {
        _setInt(index, Integer.reverseBytes(value));
    }

    @Override
    protected final long _getLong(int index) {
        return memory.getLong(offset + index);
    }

    @Override
    protected final void _setLong(int index, long value) {
        memory.putLong(offset + index, value);
    }

    @Override
    protected final long _getLongLE(int index) {
        return Long.reverseBytes(_getLong(index));
    }

    @Override
    protected final void _setLongLE(int index, long value) {
        _setLong(index, Long.reverseBytes(value));
    }

    @Override
    protected final int _getUnsignedMedium(int index) {
        return ((_getByte(index) & 0xff) << 16) | (_getShort(index + 1) & 0xffff);
    }

    @Override
    protected final int _getUnsignedMediumLE(int index) {
        return (_getByte(index) & 0xff) | ((_getShortLE(index + 1) & 0xffff) << 8);
    }

    @Override
    protected final void _setMedium(int index, int value) {
        _setByte(index, value >> 16);
        _setShort(index + 1, value);
    }

    @Override
    protected final void _setMediumLE(int index, int value) {
        _setByte(index, value);
        _setShortLE(index + 1, value >> 8);
    }

    @Override
    public final ByteBuf getBytes(int index, ByteBuf into, int at, int length) {
        checkDstIndex(index, length, at, into.capacity());
        if (into.hasArray()) {
            memory.get(offset + index, into.array(), into.arrayOffset() + at, length);
        } else if (into.nioBufferCount() == 1) {
            ByteBuffer to = into.internalNioBuffer(at, length);
            to.put(to.position(), memory, offset + index, length);
        } else {
            into.setBytes(at, this, index, length);
        }
        return this;
    }

    @Override
    public final ByteBuf getBytes(int index, byte[] into, int at, int length) {
        checkDstIndex(index, length, at, into.length);
        memory.get(offset + index, into, at, length);
        return this;
    }

    @Override
    public final ByteBuf getBytes(int index, ByteBuffer into) {
        int length = into.remaining();
        checkIndex(index, length);
        into.put(into.position(), memory, offset + index, length).position(into.position() + length);
        return this;
    }

    @Override
    public final ByteBuf getBytes(int index, OutputStream into, int length) throws IOException {
        byte[] bytes = new byte[length];
        getBytes(index, bytes, 0, length);
        into.write(bytes);
        return this;
    }

    @Override
    public final int getBytes(int index, GatheringByteChannel into, int length) throws IOException {
        return into.write(nioBuffer(index, length));
    }

    @Override
    public final int getBytes(int index, FileChannel into, long position, int length) throws IOException {
        return into.write(nioBuffer(index, length), position);
    }

    @Override
    public final ByteBuf setBytes(int index, ByteBuf from, int at, int length) {
        checkSrcIndex(index, length, at, from.capacity());
        if (from.hasArray()) {
            memory.put(offset + index, from.array(), from.arrayOffset() + at, length);
        } else if (from.nioBufferCount() == 1) {
            ByteBuffer its = from.internalNioBuffer(at, length);
            memory.put(offset + index, its, its.position(), length);
        } else {
            from.getBytes(at, this, index, length);
        }
        return this;
    }

    @Override
    public final ByteBuf setBytes(int index, byte[] from, int at, int length) {
        checkSrcIndex(index, length, at, from.length);
        memory.put(offset + index, from, at, length);
        return this;
    }

    @Override
    public final ByteBuf setBytes(int index, ByteBuffer from) {
        int length = from.remaining();
        checkIndex(index, length);
        memory.put(offset + index, from, from.position(), length);
        from.position(from.position() + length);
        return this;
    }

    @Override
    public final int setBytes(int index, InputStream from, int length) throws IOException {
        checkIndex(index, length);
        byte[] bytes = new byte[length];
        int count = from.read(bytes, 0, length);
        if (count > 0) {
            setBytes(index, bytes, 0, count);
        }
        return count;
    }

    @Override
    public final int setBytes(int index, ScatteringByteChannel from, int length) throws IOException {
        try {
            return from.read(nioBuffer(index, length));
        } catch (ClosedChannelException e) {
            return -1; // as with all buffers of Netty's
        }
    }

    @Override
    public final int setBytes(int index, FileChannel from, long position, int length) throws IOException {
        try {
            return from.read(nioBuffer(index, length), position);
        } catch (ClosedChannelException e) {
            return -1; // as with all buffers of Netty's
        }
    }
}
