// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.GuardedArena;
import dev.isthmus.ucx.UcpActiveMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The bytes of a cell. All messages consist of x, so that any other byte that arrives is of another message, or of memory
 * that was freed.
 */
final class UcxBytes {

    static final int SHORT = 1000;
    static final int LONG = 4000; // by rendezvous
    static final byte X = 'x';

    /** Of the calls' arguments. */
    final Arena arena = GuardedArena.ofShared();

    final MemorySegment source = arena.allocate(2 * LONG, 64).fill(X);

    /** Of everything else. */
    final Arena own = GuardedArena.ofShared();

    private final Faults faults;
    private final List<MemorySegment> received = new ArrayList<>();
    private final List<Supplier<MemorySegment>> lent = new ArrayList<>();

    UcxBytes(Faults faults) {
        this.faults = faults;
    }

    MemorySegment filled(long bytes, byte with) {
        return own.allocate(Math.max(bytes, 1), 64).fill(with);
    }

    /** Where a message arrives. */
    MemorySegment target(long bytes) {
        MemorySegment to = filled(bytes, X);
        received.add(to);
        return to;
    }

    /** Receives an active message that a call has sent. */
    void receive(UcpActiveMessage m) {
        var ignored = m.receiveAsync(target(m.length()));
        if (m.header().length() > 0) {
            m.header().copyTo(target(m.header().length()));
        }
    }

    /**
     * UCX has lent memory.
     *
     * @param segment null once it has it back
     */
    void lent(Supplier<MemorySegment> segment) {
        lent.add(segment);
    }

    /** Checks what UCX has lent. */
    void checkLent() {
        lent.forEach(one -> faults.lenient(() -> {
            MemorySegment segment = one.get();
            if (segment != null) {
                check(segment, "what UCX has lent");
            }
        }));
    }

    /** Checks what was sent and what was received. */
    void checkMessages() {
        if (arena.scope().isAlive()) {
            check(source, "the arguments' buffer");
        }
        received.forEach(one -> check(one, "what the peer received"));
    }

    void check(MemorySegment segment, String what) {
        for (long i = 0; i < segment.byteSize(); i++) {
            byte found = segment.get(ValueLayout.JAVA_BYTE, i);
            if (found != X) {
                faults.add(what + " has " + found + " at " + i);
                return;
            }
        }
    }
}
