// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.nio.stream.SendMemory;
import dev.isthmus.nio.stream.Stream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import java.io.IOException;

/** Writes bytes from where they are, if that memory is, or can be, registered. */
final class InPlace {

    /** What {@link #write} returns if it cannot. */
    static final int NOT_REGISTERED = -1;

    /** A shorter part of a composite buffer costs less copied, with its neighbours, than as a message of its own. */
    private static final int SHORTEST_PART = 1024;

    private InPlace() {}

    /** Writes as many bytes of a buffer as there is room for; returns how many, or NOT_REGISTERED. */
    static int write(Stream to, ByteBuf from, int index, int length) throws IOException {
        if (!from.hasMemoryAddress()) {
            return NOT_REGISTERED;
        }
        long begin = from.memoryAddress() + index;
        NativeByteBuf root = root(from);
        if (root instanceof LentByteBuf lent) {
            return to.write(lent.loan(), begin - lent.loan().address(), length);
        }
        if (root instanceof RegisteredByteBuf slabs && RdmaByteBufAllocator.isPooled(slabs.block())) {
            SendMemory slab = slabs.block().slab();
            return to.write(slab, begin - slab.address(), length);
        }
        return NOT_REGISTERED; // also what has a slab of its own: a group keeps what it registers
    }

    private static NativeByteBuf root(ByteBuf of) {
        for (ByteBuf each = of; each != null; each = each.unwrap()) {
            if (each instanceof NativeByteBuf found) {
                return found;
            }
        }
        return null;
    }

    /** Whether a part of a composite buffer is better written from where it is, on its own. */
    private static boolean isWorthIt(ByteBuf part, int length) {
        return length >= SHORTEST_PART && root(part) != null;
    }

    /** Whether a part of a composite buffer is. */
    static boolean hasWorthyPart(CompositeByteBuf whole) {
        for (int i = 0; i < whole.numComponents(); i++) {
            ByteBuf part = whole.internalComponent(i);
            if (isWorthIt(part, part.capacity())) {
                return true;
            }
        }
        return false;
    }

    /** How many bytes from an index on go together: a part that is worth it, or all up to the next one that is. */
    static int together(CompositeByteBuf whole, int index) {
        int part = whole.toComponentIndex(index);
        int length = left(whole, part, index);
        if (isWorthIt(whole.internalComponent(part), length)) {
            return length;
        }
        int at = index + length;
        while (at < whole.writerIndex()) {
            part = whole.toComponentIndex(at);
            length = left(whole, part, at);
            if (isWorthIt(whole.internalComponent(part), length)) {
                break;
            }
            at += length;
        }
        return at - index;
    }

    /** The readable bytes of a part from an index on. */
    private static int left(CompositeByteBuf whole, int part, int index) {
        int end = whole.toByteIndex(part) + whole.internalComponent(part).capacity();
        return Math.min(end, whole.writerIndex()) - index;
    }

    /** Writes bytes that go together, if they are a part that is worth it; otherwise returns NOT_REGISTERED. */
    static int writePart(Stream to, CompositeByteBuf from, int index, int length) throws IOException {
        int part = from.toComponentIndex(index);
        ByteBuf bytes = from.internalComponent(part);
        return isWorthIt(bytes, left(from, part, index))
                ? write(to, bytes, index - from.toByteIndex(part), length)
                : NOT_REGISTERED;
    }
}
