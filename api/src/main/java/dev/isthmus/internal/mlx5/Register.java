// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;

/**
 * A BlueFlame register: a doorbell for send queues, which takes either the first 8 bytes of an entry, or short entries as a
 * whole, so that the card need not read them from memory. A device has a few, and queue pairs share them. Two processors
 * that copy to one at once would mix their entries, so direct queue pairs take turns, as libmlx5's do among each other by a
 * lock that cannot be found from outside. A register is therefore used either by direct queue pairs or by others.
 *
 * <p>The order of stores on x86-64. A card must see an entry before the doorbell record that counts it, and the record
 * before the register. Entry and record are ordinary memory, to which the processor's stores are seen in their order
 * (Intel SDM, volume 3A, "Memory Ordering in P6 and More Recent Processor Families"): for that, keeping the compiler from
 * reordering suffices, which is all that libmlx5's {@code udma_to_device_barrier} does, and {@link
 * VarHandle#releaseFence}. The register is mapped write-combining. Stores to it wait in a buffer, are not ordered with
 * others, and may stay there. libmlx5 has an {@code sfence} before them ({@code mmio_wc_start}) and one after them
 * ({@code mmio_flush_writes}). Here taking and leaving the turn do both: locked instructions, before which all earlier
 * stores become visible, and write-combining buffers are emptied (volume 3A, "Locked Instructions and the Order of
 * Stores", "Methods of Caching Available": a buffer is emptied by "a LOCK prefixed instruction"). libmlx5 relies on the
 * first of them, too, when it takes its own lock ({@code mmio_wc_spinlock}).
 */
final class Register {

    private static final VarHandle TAKEN;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(Register.class, "taken", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final Map<Long, Register> IN_USE = new HashMap<>();

    private final long address;
    private final int half;
    private final int longest; // an entry of more 16-byte pieces is not copied
    private int directUsers;
    private int otherUsers;

    @SuppressWarnings("UnusedVariable") // by TAKEN
    private int taken;

    private int offset; // of the half whose turn it is; guarded by taken

    private Register(long address, int half) {
        this.address = address;
        this.half = half;
        this.longest = half / 16;
    }

    /** The register of a queue pair that becomes direct. */
    static Register forDirect(QueuePairLayout layout) throws NotDirect {
        synchronized (IN_USE) {
            Register register = IN_USE.computeIfAbsent(layout.register(), a -> new Register(a, layout.half()));
            if (register.otherUsers > 0 && register.half > 0) {
                throw new NotDirect("a queue pair that libmlx5 drives has the same BlueFlame register:"
                        + " MLX5_TOTAL_UUARS in the environment gives the process more of them");
            }
            register.directUsers++;
            return register;
        }
    }

    /**
     * The register of a queue pair that libmlx5 drives.
     *
     * @throws NotDirect if direct queue pairs have it
     */
    static Register forOther(QueuePairLayout layout) throws NotDirect {
        synchronized (IN_USE) {
            Register register = IN_USE.computeIfAbsent(layout.register(), a -> new Register(a, layout.half()));
            if (register.directUsers > 0 && register.half > 0) {
                throw new NotDirect("direct queue pairs have the same BlueFlame register: set MLX5_TOTAL_UUARS in the"
                        + " environment to more than 16, or make fewer of them direct");
            }
            register.otherUsers++;
            return register;
        }
    }

    void release(boolean direct) {
        synchronized (IN_USE) {
            if (direct) {
                directUsers--;
            } else {
                otherUsers--;
            }
            if (directUsers + otherUsers == 0) {
                IN_USE.remove(address);
            }
        }
    }

    /** Whether an entry of so many 16-byte pieces is copied: one without data is not, as in libmlx5. */
    @HotPath
    boolean copies(int pieces) {
        return pieces > 1 && pieces <= longest;
    }

    /** Tells the card of requests, by the first bytes of the last one. */
    @HotPath
    void ring(long entry) {
        long first = NativeMemory.getLong(entry);
        NativeMemory.setLong(take(), first);
        leave();
    }

    /**
     * Gives the card a whole entry.
     *
     * @param blocks its length
     * @param end of its ring, where it continues at the start
     * @param start of its ring
     */
    @HotPath
    void copy(long entry, int blocks, long end, long start) {
        long to = take();
        long from = entry;
        for (int left = blocks; left > 0; left--) {
            copyBlock(from, to);
            to += QueuePairLayout.BLOCK;
            from += QueuePairLayout.BLOCK;
            from = from == end ? start : from;
        }
        leave();
    }

    @HotPath
    private static void copyBlock(long from, long to) {
        NativeMemory.setLong(to, NativeMemory.getLong(from));
        NativeMemory.setLong(to + 8, NativeMemory.getLong(from + 8));
        NativeMemory.setLong(to + 16, NativeMemory.getLong(from + 16));
        NativeMemory.setLong(to + 24, NativeMemory.getLong(from + 24));
        NativeMemory.setLong(to + 32, NativeMemory.getLong(from + 32));
        NativeMemory.setLong(to + 40, NativeMemory.getLong(from + 40));
        NativeMemory.setLong(to + 48, NativeMemory.getLong(from + 48));
        NativeMemory.setLong(to + 56, NativeMemory.getLong(from + 56));
    }

    /** Begins a turn; returns the address of the half to write to. */
    @HotPath
    long take() {
        while ((int) TAKEN.getAndSet(this, 1) != 0) { // shorter than compareAndSet
            Thread.onSpinWait(); // for as long as another thread copies
        }
        return (address + offset) & NativeMemory.ANY_ADDRESS;
    }

    /** Ends a turn: what was written goes to the card. */
    @HotPath
    void leave() {
        offset ^= half;
        int before = (int) TAKEN.getAndSet(this, 0); // an exchange, as a plain store would not empty the buffer
        assert before == 1;
    }
}
