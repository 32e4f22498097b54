// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * The functions of C that the data path calls. Handles and pointers are numbers, which the callers have checked, because each
 * segment costs a check and a hold of its arena. Where another thread could close the arena of a buffer while C blocks, there
 * is a second form that takes the segment, and holds it. Written by {@code mpi/generate}.
 */
final class Calls {

    private Calls() {}

    /** Links a function; of its pointers, those at some places remain segments. */
    @SuppressWarnings("restricted")
    private static MethodHandle link(MemorySegment function, FunctionDescriptor c, List<Integer> segments) {
        MemoryLayout[] arguments = c.argumentLayouts().toArray(MemoryLayout[]::new);
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof AddressLayout && !segments.contains(i)) {
                arguments[i] = JAVA_LONG;
            }
        }
        return Linker.nativeLinker()
                .downcallHandle(function, FunctionDescriptor.of(c.returnLayout().get(), arguments));
    }

    private static RuntimeException unexpected(Throwable t) {
        if (t instanceof RuntimeException e) {
            return e; // of a segment whose arena has just been closed
        }
        throw t instanceof Error e ? e : new AssertionError(t);
    }

    private static final class MPI_Accumulate_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Accumulate_c$address(), mpi_abi_h.MPI_Accumulate_c$descriptor(), List.of());
    }

    @HotPath
    static int accumulate(long a0, long a1, long a2, int a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Accumulate_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Allgather_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Allgather_c$address(), mpi_abi_h.MPI_Allgather_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Allgather_c$address(), mpi_abi_h.MPI_Allgather_c$descriptor(), List.of(0, 3));
    }

    @HotPath
    static int allgather(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Allgather_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int allgather(MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Allgather_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Allgatherv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Allgatherv_c$address(), mpi_abi_h.MPI_Allgatherv_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Allgatherv_c$address(), mpi_abi_h.MPI_Allgatherv_c$descriptor(), List.of(0, 3));
    }

    @HotPath
    static int allgatherv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Allgatherv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int allgatherv(MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Allgatherv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Allreduce_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Allreduce_c$address(), mpi_abi_h.MPI_Allreduce_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Allreduce_c$address(), mpi_abi_h.MPI_Allreduce_c$descriptor(), List.of(0, 1));
    }

    @HotPath
    static int allreduce(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Allreduce_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int allreduce(MemorySegment a0, MemorySegment a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Allreduce_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Alltoall_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Alltoall_c$address(), mpi_abi_h.MPI_Alltoall_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Alltoall_c$address(), mpi_abi_h.MPI_Alltoall_c$descriptor(), List.of(0, 3));
    }

    @HotPath
    static int alltoall(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Alltoall_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int alltoall(MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Alltoall_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Alltoallv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Alltoallv_c$address(), mpi_abi_h.MPI_Alltoallv_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Alltoallv_c$address(), mpi_abi_h.MPI_Alltoallv_c$descriptor(), List.of(0, 4));
    }

    @HotPath
    static int alltoallv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Alltoallv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int alltoallv(
            MemorySegment a0, long a1, long a2, long a3, MemorySegment a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Alltoallv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Alltoallw_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Alltoallw_c$address(), mpi_abi_h.MPI_Alltoallw_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Alltoallw_c$address(), mpi_abi_h.MPI_Alltoallw_c$descriptor(), List.of(0, 4));
    }

    @HotPath
    static int alltoallw(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Alltoallw_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int alltoallw(
            MemorySegment a0, long a1, long a2, long a3, MemorySegment a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Alltoallw_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Barrier {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Barrier$address(), mpi_abi_h.MPI_Barrier$descriptor(), List.of());
    }

    @HotPath
    static int barrier(long a0) {
        try {
            return (int) MPI_Barrier.NUMBERS.invokeExact(a0);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Bcast_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Bcast_c$address(), mpi_abi_h.MPI_Bcast_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Bcast_c$address(), mpi_abi_h.MPI_Bcast_c$descriptor(), List.of(0));
    }

    @HotPath
    static int bcast(long a0, long a1, long a2, int a3, long a4) {
        try {
            return (int) MPI_Bcast_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int bcast(MemorySegment a0, long a1, long a2, int a3, long a4) {
        try {
            return (int) MPI_Bcast_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Bsend_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Bsend_c$address(), mpi_abi_h.MPI_Bsend_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Bsend_c$address(), mpi_abi_h.MPI_Bsend_c$descriptor(), List.of(0));
    }

    @HotPath
    static int bsend(long a0, long a1, long a2, int a3, int a4, long a5) {
        try {
            return (int) MPI_Bsend_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int bsend(MemorySegment a0, long a1, long a2, int a3, int a4, long a5) {
        try {
            return (int) MPI_Bsend_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Compare_and_swap {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Compare_and_swap$address(), mpi_abi_h.MPI_Compare_and_swap$descriptor(), List.of());
    }

    @HotPath
    static int compareAndSwap(long a0, long a1, long a2, long a3, int a4, long a5, long a6) {
        try {
            return (int) MPI_Compare_and_swap.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Exscan_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Exscan_c$address(), mpi_abi_h.MPI_Exscan_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Exscan_c$address(), mpi_abi_h.MPI_Exscan_c$descriptor(), List.of(0, 1));
    }

    @HotPath
    static int exscan(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Exscan_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int exscan(MemorySegment a0, MemorySegment a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Exscan_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Fetch_and_op {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Fetch_and_op$address(), mpi_abi_h.MPI_Fetch_and_op$descriptor(), List.of());
    }

    @HotPath
    static int fetchAndOp(long a0, long a1, long a2, int a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Fetch_and_op.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iread_all_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_iread_all_c$address(), mpi_abi_h.MPI_File_iread_all_c$descriptor(), List.of());
    }

    @HotPath
    static int fileIreadAll(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_iread_all_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iread_at_all_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_iread_at_all_c$address(), mpi_abi_h.MPI_File_iread_at_all_c$descriptor(), List.of());
    }

    @HotPath
    static int fileIreadAtAll(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_iread_at_all_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iread_at_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_iread_at_c$address(), mpi_abi_h.MPI_File_iread_at_c$descriptor(), List.of());
    }

    @HotPath
    static int fileIreadAt(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_iread_at_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iread_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_iread_c$address(), mpi_abi_h.MPI_File_iread_c$descriptor(), List.of());
    }

    @HotPath
    static int fileIread(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_iread_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iread_shared_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_iread_shared_c$address(), mpi_abi_h.MPI_File_iread_shared_c$descriptor(), List.of());
    }

    @HotPath
    static int fileIreadShared(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_iread_shared_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iwrite_all_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_iwrite_all_c$address(), mpi_abi_h.MPI_File_iwrite_all_c$descriptor(), List.of());
    }

    @HotPath
    static int fileIwriteAll(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_iwrite_all_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iwrite_at_all_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_iwrite_at_all_c$address(),
                mpi_abi_h.MPI_File_iwrite_at_all_c$descriptor(),
                List.of());
    }

    @HotPath
    static int fileIwriteAtAll(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_iwrite_at_all_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iwrite_at_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_iwrite_at_c$address(), mpi_abi_h.MPI_File_iwrite_at_c$descriptor(), List.of());
    }

    @HotPath
    static int fileIwriteAt(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_iwrite_at_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iwrite_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_iwrite_c$address(), mpi_abi_h.MPI_File_iwrite_c$descriptor(), List.of());
    }

    @HotPath
    static int fileIwrite(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_iwrite_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_iwrite_shared_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_iwrite_shared_c$address(),
                mpi_abi_h.MPI_File_iwrite_shared_c$descriptor(),
                List.of());
    }

    @HotPath
    static int fileIwriteShared(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_iwrite_shared_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_all_begin_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_all_begin_c$address(),
                mpi_abi_h.MPI_File_read_all_begin_c$descriptor(),
                List.of());
    }

    @HotPath
    static int fileReadAllBegin(long a0, long a1, long a2, long a3) {
        try {
            return (int) MPI_File_read_all_begin_c.NUMBERS.invokeExact(a0, a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_all_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_read_all_c$address(), mpi_abi_h.MPI_File_read_all_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_File_read_all_c$address(), mpi_abi_h.MPI_File_read_all_c$descriptor(), List.of(1));
    }

    @HotPath
    static int fileReadAll(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_all_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileReadAll(long a0, MemorySegment a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_all_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_all_end {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_all_end$address(), mpi_abi_h.MPI_File_read_all_end$descriptor(), List.of());
    }

    @HotPath
    static int fileReadAllEnd(long a0, long a1, long a2) {
        try {
            return (int) MPI_File_read_all_end.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_at_all_begin_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_at_all_begin_c$address(),
                mpi_abi_h.MPI_File_read_at_all_begin_c$descriptor(),
                List.of());
    }

    @HotPath
    static int fileReadAtAllBegin(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_at_all_begin_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_at_all_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_at_all_c$address(), mpi_abi_h.MPI_File_read_at_all_c$descriptor(), List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_File_read_at_all_c$address(), mpi_abi_h.MPI_File_read_at_all_c$descriptor(), List.of(2));
    }

    @HotPath
    static int fileReadAtAll(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_read_at_all_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileReadAtAll(long a0, long a1, MemorySegment a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_read_at_all_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_at_all_end {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_at_all_end$address(),
                mpi_abi_h.MPI_File_read_at_all_end$descriptor(),
                List.of());
    }

    @HotPath
    static int fileReadAtAllEnd(long a0, long a1, long a2) {
        try {
            return (int) MPI_File_read_at_all_end.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_at_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_read_at_c$address(), mpi_abi_h.MPI_File_read_at_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_File_read_at_c$address(), mpi_abi_h.MPI_File_read_at_c$descriptor(), List.of(2));
    }

    @HotPath
    static int fileReadAt(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_read_at_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileReadAt(long a0, long a1, MemorySegment a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_read_at_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_read_c$address(), mpi_abi_h.MPI_File_read_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_File_read_c$address(), mpi_abi_h.MPI_File_read_c$descriptor(), List.of(1));
    }

    @HotPath
    static int fileRead(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileRead(long a0, MemorySegment a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_ordered_begin_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_ordered_begin_c$address(),
                mpi_abi_h.MPI_File_read_ordered_begin_c$descriptor(),
                List.of());
    }

    @HotPath
    static int fileReadOrderedBegin(long a0, long a1, long a2, long a3) {
        try {
            return (int) MPI_File_read_ordered_begin_c.NUMBERS.invokeExact(a0, a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_ordered_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_ordered_c$address(), mpi_abi_h.MPI_File_read_ordered_c$descriptor(), List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_File_read_ordered_c$address(),
                mpi_abi_h.MPI_File_read_ordered_c$descriptor(),
                List.of(1));
    }

    @HotPath
    static int fileReadOrdered(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_ordered_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileReadOrdered(long a0, MemorySegment a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_ordered_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_ordered_end {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_ordered_end$address(),
                mpi_abi_h.MPI_File_read_ordered_end$descriptor(),
                List.of());
    }

    @HotPath
    static int fileReadOrderedEnd(long a0, long a1, long a2) {
        try {
            return (int) MPI_File_read_ordered_end.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_read_shared_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_read_shared_c$address(), mpi_abi_h.MPI_File_read_shared_c$descriptor(), List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_File_read_shared_c$address(), mpi_abi_h.MPI_File_read_shared_c$descriptor(), List.of(1));
    }

    @HotPath
    static int fileReadShared(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_shared_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileReadShared(long a0, MemorySegment a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_read_shared_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_all_begin_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_all_begin_c$address(),
                mpi_abi_h.MPI_File_write_all_begin_c$descriptor(),
                List.of());
    }

    @HotPath
    static int fileWriteAllBegin(long a0, long a1, long a2, long a3) {
        try {
            return (int) MPI_File_write_all_begin_c.NUMBERS.invokeExact(a0, a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_all_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_write_all_c$address(), mpi_abi_h.MPI_File_write_all_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_File_write_all_c$address(), mpi_abi_h.MPI_File_write_all_c$descriptor(), List.of(1));
    }

    @HotPath
    static int fileWriteAll(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_all_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileWriteAll(long a0, MemorySegment a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_all_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_all_end {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_all_end$address(), mpi_abi_h.MPI_File_write_all_end$descriptor(), List.of());
    }

    @HotPath
    static int fileWriteAllEnd(long a0, long a1, long a2) {
        try {
            return (int) MPI_File_write_all_end.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_at_all_begin_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_at_all_begin_c$address(),
                mpi_abi_h.MPI_File_write_at_all_begin_c$descriptor(),
                List.of());
    }

    @HotPath
    static int fileWriteAtAllBegin(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_at_all_begin_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_at_all_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_at_all_c$address(), mpi_abi_h.MPI_File_write_at_all_c$descriptor(), List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_File_write_at_all_c$address(),
                mpi_abi_h.MPI_File_write_at_all_c$descriptor(),
                List.of(2));
    }

    @HotPath
    static int fileWriteAtAll(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_write_at_all_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileWriteAtAll(long a0, long a1, MemorySegment a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_write_at_all_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_at_all_end {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_at_all_end$address(),
                mpi_abi_h.MPI_File_write_at_all_end$descriptor(),
                List.of());
    }

    @HotPath
    static int fileWriteAtAllEnd(long a0, long a1, long a2) {
        try {
            return (int) MPI_File_write_at_all_end.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_at_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_write_at_c$address(), mpi_abi_h.MPI_File_write_at_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_File_write_at_c$address(), mpi_abi_h.MPI_File_write_at_c$descriptor(), List.of(2));
    }

    @HotPath
    static int fileWriteAt(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_write_at_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileWriteAt(long a0, long a1, MemorySegment a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_File_write_at_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_File_write_c$address(), mpi_abi_h.MPI_File_write_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_File_write_c$address(), mpi_abi_h.MPI_File_write_c$descriptor(), List.of(1));
    }

    @HotPath
    static int fileWrite(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileWrite(long a0, MemorySegment a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_ordered_begin_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_ordered_begin_c$address(),
                mpi_abi_h.MPI_File_write_ordered_begin_c$descriptor(),
                List.of());
    }

    @HotPath
    static int fileWriteOrderedBegin(long a0, long a1, long a2, long a3) {
        try {
            return (int) MPI_File_write_ordered_begin_c.NUMBERS.invokeExact(a0, a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_ordered_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_ordered_c$address(),
                mpi_abi_h.MPI_File_write_ordered_c$descriptor(),
                List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_File_write_ordered_c$address(),
                mpi_abi_h.MPI_File_write_ordered_c$descriptor(),
                List.of(1));
    }

    @HotPath
    static int fileWriteOrdered(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_ordered_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileWriteOrdered(long a0, MemorySegment a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_ordered_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_ordered_end {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_ordered_end$address(),
                mpi_abi_h.MPI_File_write_ordered_end$descriptor(),
                List.of());
    }

    @HotPath
    static int fileWriteOrderedEnd(long a0, long a1, long a2) {
        try {
            return (int) MPI_File_write_ordered_end.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_File_write_shared_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_File_write_shared_c$address(), mpi_abi_h.MPI_File_write_shared_c$descriptor(), List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_File_write_shared_c$address(),
                mpi_abi_h.MPI_File_write_shared_c$descriptor(),
                List.of(1));
    }

    @HotPath
    static int fileWriteShared(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_shared_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int fileWriteShared(long a0, MemorySegment a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_File_write_shared_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Gather_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Gather_c$address(), mpi_abi_h.MPI_Gather_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Gather_c$address(), mpi_abi_h.MPI_Gather_c$descriptor(), List.of(0, 3));
    }

    @HotPath
    static int gather(long a0, long a1, long a2, long a3, long a4, long a5, int a6, long a7) {
        try {
            return (int) MPI_Gather_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int gather(MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, int a6, long a7) {
        try {
            return (int) MPI_Gather_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Gatherv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Gatherv_c$address(), mpi_abi_h.MPI_Gatherv_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Gatherv_c$address(), mpi_abi_h.MPI_Gatherv_c$descriptor(), List.of(0, 3));
    }

    @HotPath
    static int gatherv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, int a7, long a8) {
        try {
            return (int) MPI_Gatherv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int gatherv(
            MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, long a6, int a7, long a8) {
        try {
            return (int) MPI_Gatherv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Get_accumulate_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Get_accumulate_c$address(), mpi_abi_h.MPI_Get_accumulate_c$descriptor(), List.of());
    }

    @HotPath
    static int getAccumulate(
            long a0,
            long a1,
            long a2,
            long a3,
            long a4,
            long a5,
            int a6,
            long a7,
            long a8,
            long a9,
            long a10,
            long a11) {
        try {
            return (int) MPI_Get_accumulate_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Get_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Get_c$address(), mpi_abi_h.MPI_Get_c$descriptor(), List.of());
    }

    @HotPath
    static int get(long a0, long a1, long a2, int a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Get_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Get_count_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Get_count_c$address(), mpi_abi_h.MPI_Get_count_c$descriptor(), List.of());
    }

    @HotPath
    static int getCount(long a0, long a1, long a2) {
        try {
            return (int) MPI_Get_count_c.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Iallgather_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Iallgather_c$address(), mpi_abi_h.MPI_Iallgather_c$descriptor(), List.of());
    }

    @HotPath
    static int iallgather(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Iallgather_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Iallgatherv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Iallgatherv_c$address(), mpi_abi_h.MPI_Iallgatherv_c$descriptor(), List.of());
    }

    @HotPath
    static int iallgatherv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Iallgatherv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Iallreduce_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Iallreduce_c$address(), mpi_abi_h.MPI_Iallreduce_c$descriptor(), List.of());
    }

    @HotPath
    static int iallreduce(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Iallreduce_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ialltoall_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Ialltoall_c$address(), mpi_abi_h.MPI_Ialltoall_c$descriptor(), List.of());
    }

    @HotPath
    static int ialltoall(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Ialltoall_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ialltoallv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Ialltoallv_c$address(), mpi_abi_h.MPI_Ialltoallv_c$descriptor(), List.of());
    }

    @HotPath
    static int ialltoallv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9) {
        try {
            return (int) MPI_Ialltoallv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ialltoallw_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Ialltoallw_c$address(), mpi_abi_h.MPI_Ialltoallw_c$descriptor(), List.of());
    }

    @HotPath
    static int ialltoallw(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9) {
        try {
            return (int) MPI_Ialltoallw_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ibarrier {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Ibarrier$address(), mpi_abi_h.MPI_Ibarrier$descriptor(), List.of());
    }

    @HotPath
    static int ibarrier(long a0, long a1) {
        try {
            return (int) MPI_Ibarrier.NUMBERS.invokeExact(a0, a1);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ibcast_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Ibcast_c$address(), mpi_abi_h.MPI_Ibcast_c$descriptor(), List.of());
    }

    @HotPath
    static int ibcast(long a0, long a1, long a2, int a3, long a4, long a5) {
        try {
            return (int) MPI_Ibcast_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ibsend_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Ibsend_c$address(), mpi_abi_h.MPI_Ibsend_c$descriptor(), List.of());
    }

    @HotPath
    static int ibsend(long a0, long a1, long a2, int a3, int a4, long a5, long a6) {
        try {
            return (int) MPI_Ibsend_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Iexscan_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Iexscan_c$address(), mpi_abi_h.MPI_Iexscan_c$descriptor(), List.of());
    }

    @HotPath
    static int iexscan(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Iexscan_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Igather_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Igather_c$address(), mpi_abi_h.MPI_Igather_c$descriptor(), List.of());
    }

    @HotPath
    static int igather(long a0, long a1, long a2, long a3, long a4, long a5, int a6, long a7, long a8) {
        try {
            return (int) MPI_Igather_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Igatherv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Igatherv_c$address(), mpi_abi_h.MPI_Igatherv_c$descriptor(), List.of());
    }

    @HotPath
    static int igatherv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, int a7, long a8, long a9) {
        try {
            return (int) MPI_Igatherv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Improbe {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Improbe$address(), mpi_abi_h.MPI_Improbe$descriptor(), List.of());
    }

    @HotPath
    static int improbe(int a0, int a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Improbe.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Imrecv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Imrecv_c$address(), mpi_abi_h.MPI_Imrecv_c$descriptor(), List.of());
    }

    @HotPath
    static int imrecv(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_Imrecv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ineighbor_allgather_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Ineighbor_allgather_c$address(),
                mpi_abi_h.MPI_Ineighbor_allgather_c$descriptor(),
                List.of());
    }

    @HotPath
    static int ineighborAllgather(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Ineighbor_allgather_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ineighbor_allgatherv_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Ineighbor_allgatherv_c$address(),
                mpi_abi_h.MPI_Ineighbor_allgatherv_c$descriptor(),
                List.of());
    }

    @HotPath
    static int ineighborAllgatherv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Ineighbor_allgatherv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ineighbor_alltoall_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Ineighbor_alltoall_c$address(),
                mpi_abi_h.MPI_Ineighbor_alltoall_c$descriptor(),
                List.of());
    }

    @HotPath
    static int ineighborAlltoall(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Ineighbor_alltoall_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ineighbor_alltoallv_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Ineighbor_alltoallv_c$address(),
                mpi_abi_h.MPI_Ineighbor_alltoallv_c$descriptor(),
                List.of());
    }

    @HotPath
    static int ineighborAlltoallv(
            long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9) {
        try {
            return (int) MPI_Ineighbor_alltoallv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ineighbor_alltoallw_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Ineighbor_alltoallw_c$address(),
                mpi_abi_h.MPI_Ineighbor_alltoallw_c$descriptor(),
                List.of());
    }

    @HotPath
    static int ineighborAlltoallw(
            long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9) {
        try {
            return (int) MPI_Ineighbor_alltoallw_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Iprobe {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Iprobe$address(), mpi_abi_h.MPI_Iprobe$descriptor(), List.of());
    }

    @HotPath
    static int iprobe(int a0, int a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_Iprobe.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Irecv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Irecv_c$address(), mpi_abi_h.MPI_Irecv_c$descriptor(), List.of());
    }

    @HotPath
    static int irecv(long a0, long a1, long a2, int a3, int a4, long a5, long a6) {
        try {
            return (int) MPI_Irecv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ireduce_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Ireduce_c$address(), mpi_abi_h.MPI_Ireduce_c$descriptor(), List.of());
    }

    @HotPath
    static int ireduce(long a0, long a1, long a2, long a3, long a4, int a5, long a6, long a7) {
        try {
            return (int) MPI_Ireduce_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ireduce_scatter_block_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Ireduce_scatter_block_c$address(),
                mpi_abi_h.MPI_Ireduce_scatter_block_c$descriptor(),
                List.of());
    }

    @HotPath
    static int ireduceScatterBlock(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Ireduce_scatter_block_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ireduce_scatter_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Ireduce_scatter_c$address(), mpi_abi_h.MPI_Ireduce_scatter_c$descriptor(), List.of());
    }

    @HotPath
    static int ireduceScatter(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Ireduce_scatter_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Irsend_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Irsend_c$address(), mpi_abi_h.MPI_Irsend_c$descriptor(), List.of());
    }

    @HotPath
    static int irsend(long a0, long a1, long a2, int a3, int a4, long a5, long a6) {
        try {
            return (int) MPI_Irsend_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Iscan_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Iscan_c$address(), mpi_abi_h.MPI_Iscan_c$descriptor(), List.of());
    }

    @HotPath
    static int iscan(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Iscan_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Iscatter_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Iscatter_c$address(), mpi_abi_h.MPI_Iscatter_c$descriptor(), List.of());
    }

    @HotPath
    static int iscatter(long a0, long a1, long a2, long a3, long a4, long a5, int a6, long a7, long a8) {
        try {
            return (int) MPI_Iscatter_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Iscatterv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Iscatterv_c$address(), mpi_abi_h.MPI_Iscatterv_c$descriptor(), List.of());
    }

    @HotPath
    static int iscatterv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, int a7, long a8, long a9) {
        try {
            return (int) MPI_Iscatterv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Isend_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Isend_c$address(), mpi_abi_h.MPI_Isend_c$descriptor(), List.of());
    }

    @HotPath
    static int isend(long a0, long a1, long a2, int a3, int a4, long a5, long a6) {
        try {
            return (int) MPI_Isend_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Isendrecv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Isendrecv_c$address(), mpi_abi_h.MPI_Isendrecv_c$descriptor(), List.of());
    }

    @HotPath
    static int isendrecv(
            long a0, long a1, long a2, int a3, int a4, long a5, long a6, long a7, int a8, int a9, long a10, long a11) {
        try {
            return (int) MPI_Isendrecv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Isendrecv_replace_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Isendrecv_replace_c$address(), mpi_abi_h.MPI_Isendrecv_replace_c$descriptor(), List.of());
    }

    @HotPath
    static int isendrecvReplace(long a0, long a1, long a2, int a3, int a4, int a5, int a6, long a7, long a8) {
        try {
            return (int) MPI_Isendrecv_replace_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Issend_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Issend_c$address(), mpi_abi_h.MPI_Issend_c$descriptor(), List.of());
    }

    @HotPath
    static int issend(long a0, long a1, long a2, int a3, int a4, long a5, long a6) {
        try {
            return (int) MPI_Issend_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Mprobe {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Mprobe$address(), mpi_abi_h.MPI_Mprobe$descriptor(), List.of());
    }

    @HotPath
    static int mprobe(int a0, int a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_Mprobe.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Mrecv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Mrecv_c$address(), mpi_abi_h.MPI_Mrecv_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Mrecv_c$address(), mpi_abi_h.MPI_Mrecv_c$descriptor(), List.of(0));
    }

    @HotPath
    static int mrecv(long a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_Mrecv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int mrecv(MemorySegment a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_Mrecv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Neighbor_allgather_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Neighbor_allgather_c$address(),
                mpi_abi_h.MPI_Neighbor_allgather_c$descriptor(),
                List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_Neighbor_allgather_c$address(),
                mpi_abi_h.MPI_Neighbor_allgather_c$descriptor(),
                List.of(0, 3));
    }

    @HotPath
    static int neighborAllgather(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Neighbor_allgather_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int neighborAllgather(MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Neighbor_allgather_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Neighbor_allgatherv_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Neighbor_allgatherv_c$address(),
                mpi_abi_h.MPI_Neighbor_allgatherv_c$descriptor(),
                List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_Neighbor_allgatherv_c$address(),
                mpi_abi_h.MPI_Neighbor_allgatherv_c$descriptor(),
                List.of(0, 3));
    }

    @HotPath
    static int neighborAllgatherv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Neighbor_allgatherv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int neighborAllgatherv(
            MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Neighbor_allgatherv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Neighbor_alltoall_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Neighbor_alltoall_c$address(), mpi_abi_h.MPI_Neighbor_alltoall_c$descriptor(), List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_Neighbor_alltoall_c$address(),
                mpi_abi_h.MPI_Neighbor_alltoall_c$descriptor(),
                List.of(0, 3));
    }

    @HotPath
    static int neighborAlltoall(long a0, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Neighbor_alltoall_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int neighborAlltoall(MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, long a6) {
        try {
            return (int) MPI_Neighbor_alltoall_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Neighbor_alltoallv_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Neighbor_alltoallv_c$address(),
                mpi_abi_h.MPI_Neighbor_alltoallv_c$descriptor(),
                List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_Neighbor_alltoallv_c$address(),
                mpi_abi_h.MPI_Neighbor_alltoallv_c$descriptor(),
                List.of(0, 4));
    }

    @HotPath
    static int neighborAlltoallv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Neighbor_alltoallv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int neighborAlltoallv(
            MemorySegment a0, long a1, long a2, long a3, MemorySegment a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Neighbor_alltoallv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Neighbor_alltoallw_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Neighbor_alltoallw_c$address(),
                mpi_abi_h.MPI_Neighbor_alltoallw_c$descriptor(),
                List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_Neighbor_alltoallw_c$address(),
                mpi_abi_h.MPI_Neighbor_alltoallw_c$descriptor(),
                List.of(0, 4));
    }

    @HotPath
    static int neighborAlltoallw(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Neighbor_alltoallw_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int neighborAlltoallw(
            MemorySegment a0, long a1, long a2, long a3, MemorySegment a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Neighbor_alltoallw_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Probe {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Probe$address(), mpi_abi_h.MPI_Probe$descriptor(), List.of());
    }

    @HotPath
    static int probe(int a0, int a1, long a2, long a3) {
        try {
            return (int) MPI_Probe.NUMBERS.invokeExact(a0, a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Put_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Put_c$address(), mpi_abi_h.MPI_Put_c$descriptor(), List.of());
    }

    @HotPath
    static int put(long a0, long a1, long a2, int a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) MPI_Put_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Raccumulate_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Raccumulate_c$address(), mpi_abi_h.MPI_Raccumulate_c$descriptor(), List.of());
    }

    @HotPath
    static int raccumulate(long a0, long a1, long a2, int a3, long a4, long a5, long a6, long a7, long a8, long a9) {
        try {
            return (int) MPI_Raccumulate_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Recv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Recv_c$address(), mpi_abi_h.MPI_Recv_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Recv_c$address(), mpi_abi_h.MPI_Recv_c$descriptor(), List.of(0));
    }

    @HotPath
    static int recv(long a0, long a1, long a2, int a3, int a4, long a5, long a6) {
        try {
            return (int) MPI_Recv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int recv(MemorySegment a0, long a1, long a2, int a3, int a4, long a5, long a6) {
        try {
            return (int) MPI_Recv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Reduce_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Reduce_c$address(), mpi_abi_h.MPI_Reduce_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Reduce_c$address(), mpi_abi_h.MPI_Reduce_c$descriptor(), List.of(0, 1));
    }

    @HotPath
    static int reduce(long a0, long a1, long a2, long a3, long a4, int a5, long a6) {
        try {
            return (int) MPI_Reduce_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int reduce(MemorySegment a0, MemorySegment a1, long a2, long a3, long a4, int a5, long a6) {
        try {
            return (int) MPI_Reduce_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Reduce_scatter_block_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Reduce_scatter_block_c$address(),
                mpi_abi_h.MPI_Reduce_scatter_block_c$descriptor(),
                List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_Reduce_scatter_block_c$address(),
                mpi_abi_h.MPI_Reduce_scatter_block_c$descriptor(),
                List.of(0, 1));
    }

    @HotPath
    static int reduceScatterBlock(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Reduce_scatter_block_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int reduceScatterBlock(MemorySegment a0, MemorySegment a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Reduce_scatter_block_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Reduce_scatter_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Reduce_scatter_c$address(), mpi_abi_h.MPI_Reduce_scatter_c$descriptor(), List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_Reduce_scatter_c$address(), mpi_abi_h.MPI_Reduce_scatter_c$descriptor(), List.of(0, 1));
    }

    @HotPath
    static int reduceScatter(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Reduce_scatter_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int reduceScatter(MemorySegment a0, MemorySegment a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Reduce_scatter_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Rget_accumulate_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Rget_accumulate_c$address(), mpi_abi_h.MPI_Rget_accumulate_c$descriptor(), List.of());
    }

    @HotPath
    static int rgetAccumulate(
            long a0,
            long a1,
            long a2,
            long a3,
            long a4,
            long a5,
            int a6,
            long a7,
            long a8,
            long a9,
            long a10,
            long a11,
            long a12) {
        try {
            return (int)
                    MPI_Rget_accumulate_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Rget_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Rget_c$address(), mpi_abi_h.MPI_Rget_c$descriptor(), List.of());
    }

    @HotPath
    static int rget(long a0, long a1, long a2, int a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Rget_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Rput_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Rput_c$address(), mpi_abi_h.MPI_Rput_c$descriptor(), List.of());
    }

    @HotPath
    static int rput(long a0, long a1, long a2, int a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) MPI_Rput_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Rsend_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Rsend_c$address(), mpi_abi_h.MPI_Rsend_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Rsend_c$address(), mpi_abi_h.MPI_Rsend_c$descriptor(), List.of(0));
    }

    @HotPath
    static int rsend(long a0, long a1, long a2, int a3, int a4, long a5) {
        try {
            return (int) MPI_Rsend_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int rsend(MemorySegment a0, long a1, long a2, int a3, int a4, long a5) {
        try {
            return (int) MPI_Rsend_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Scan_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Scan_c$address(), mpi_abi_h.MPI_Scan_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Scan_c$address(), mpi_abi_h.MPI_Scan_c$descriptor(), List.of(0, 1));
    }

    @HotPath
    static int scan(long a0, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Scan_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int scan(MemorySegment a0, MemorySegment a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) MPI_Scan_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Scatter_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Scatter_c$address(), mpi_abi_h.MPI_Scatter_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Scatter_c$address(), mpi_abi_h.MPI_Scatter_c$descriptor(), List.of(0, 3));
    }

    @HotPath
    static int scatter(long a0, long a1, long a2, long a3, long a4, long a5, int a6, long a7) {
        try {
            return (int) MPI_Scatter_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int scatter(MemorySegment a0, long a1, long a2, MemorySegment a3, long a4, long a5, int a6, long a7) {
        try {
            return (int) MPI_Scatter_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Scatterv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Scatterv_c$address(), mpi_abi_h.MPI_Scatterv_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Scatterv_c$address(), mpi_abi_h.MPI_Scatterv_c$descriptor(), List.of(0, 4));
    }

    @HotPath
    static int scatterv(long a0, long a1, long a2, long a3, long a4, long a5, long a6, int a7, long a8) {
        try {
            return (int) MPI_Scatterv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int scatterv(
            MemorySegment a0, long a1, long a2, long a3, MemorySegment a4, long a5, long a6, int a7, long a8) {
        try {
            return (int) MPI_Scatterv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Send_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Send_c$address(), mpi_abi_h.MPI_Send_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Send_c$address(), mpi_abi_h.MPI_Send_c$descriptor(), List.of(0));
    }

    @HotPath
    static int send(long a0, long a1, long a2, int a3, int a4, long a5) {
        try {
            return (int) MPI_Send_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int send(MemorySegment a0, long a1, long a2, int a3, int a4, long a5) {
        try {
            return (int) MPI_Send_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Sendrecv_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Sendrecv_c$address(), mpi_abi_h.MPI_Sendrecv_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Sendrecv_c$address(), mpi_abi_h.MPI_Sendrecv_c$descriptor(), List.of(0, 5));
    }

    @HotPath
    static int sendrecv(
            long a0, long a1, long a2, int a3, int a4, long a5, long a6, long a7, int a8, int a9, long a10, long a11) {
        try {
            return (int) MPI_Sendrecv_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int sendrecv(
            MemorySegment a0,
            long a1,
            long a2,
            int a3,
            int a4,
            MemorySegment a5,
            long a6,
            long a7,
            int a8,
            int a9,
            long a10,
            long a11) {
        try {
            return (int) MPI_Sendrecv_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Sendrecv_replace_c {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Sendrecv_replace_c$address(), mpi_abi_h.MPI_Sendrecv_replace_c$descriptor(), List.of());
        static final MethodHandle HOLDING = link(
                mpi_abi_h.MPI_Sendrecv_replace_c$address(), mpi_abi_h.MPI_Sendrecv_replace_c$descriptor(), List.of(0));
    }

    @HotPath
    static int sendrecvReplace(long a0, long a1, long a2, int a3, int a4, int a5, int a6, long a7, long a8) {
        try {
            return (int) MPI_Sendrecv_replace_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int sendrecvReplace(MemorySegment a0, long a1, long a2, int a3, int a4, int a5, int a6, long a7, long a8) {
        try {
            return (int) MPI_Sendrecv_replace_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Ssend_c {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Ssend_c$address(), mpi_abi_h.MPI_Ssend_c$descriptor(), List.of());
        static final MethodHandle HOLDING =
                link(mpi_abi_h.MPI_Ssend_c$address(), mpi_abi_h.MPI_Ssend_c$descriptor(), List.of(0));
    }

    @HotPath
    static int ssend(long a0, long a1, long a2, int a3, int a4, long a5) {
        try {
            return (int) MPI_Ssend_c.NUMBERS.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    static int ssend(MemorySegment a0, long a1, long a2, int a3, int a4, long a5) {
        try {
            return (int) MPI_Ssend_c.HOLDING.invokeExact(a0, a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Start {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Start$address(), mpi_abi_h.MPI_Start$descriptor(), List.of());
    }

    @HotPath
    static int start(long a0) {
        try {
            return (int) MPI_Start.NUMBERS.invokeExact(a0);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Startall {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Startall$address(), mpi_abi_h.MPI_Startall$descriptor(), List.of());
    }

    @HotPath
    static int startall(int a0, long a1) {
        try {
            return (int) MPI_Startall.NUMBERS.invokeExact(a0, a1);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Test {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Test$address(), mpi_abi_h.MPI_Test$descriptor(), List.of());
    }

    @HotPath
    static int test(long a0, long a1, long a2) {
        try {
            return (int) MPI_Test.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Testall {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Testall$address(), mpi_abi_h.MPI_Testall$descriptor(), List.of());
    }

    @HotPath
    static int testall(int a0, long a1, long a2, long a3) {
        try {
            return (int) MPI_Testall.NUMBERS.invokeExact(a0, a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Testany {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Testany$address(), mpi_abi_h.MPI_Testany$descriptor(), List.of());
    }

    @HotPath
    static int testany(int a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_Testany.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Testsome {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Testsome$address(), mpi_abi_h.MPI_Testsome$descriptor(), List.of());
    }

    @HotPath
    static int testsome(int a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_Testsome.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Wait {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Wait$address(), mpi_abi_h.MPI_Wait$descriptor(), List.of());
    }

    @HotPath
    static int waitFor(long a0, long a1) {
        try {
            return (int) MPI_Wait.NUMBERS.invokeExact(a0, a1);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Waitall {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Waitall$address(), mpi_abi_h.MPI_Waitall$descriptor(), List.of());
    }

    @HotPath
    static int waitall(int a0, long a1, long a2) {
        try {
            return (int) MPI_Waitall.NUMBERS.invokeExact(a0, a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Waitany {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Waitany$address(), mpi_abi_h.MPI_Waitany$descriptor(), List.of());
    }

    @HotPath
    static int waitany(int a0, long a1, long a2, long a3) {
        try {
            return (int) MPI_Waitany.NUMBERS.invokeExact(a0, a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Waitsome {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Waitsome$address(), mpi_abi_h.MPI_Waitsome$descriptor(), List.of());
    }

    @HotPath
    static int waitsome(int a0, long a1, long a2, long a3, long a4) {
        try {
            return (int) MPI_Waitsome.NUMBERS.invokeExact(a0, a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Win_fence {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Win_fence$address(), mpi_abi_h.MPI_Win_fence$descriptor(), List.of());
    }

    @HotPath
    static int winFence(int a0, long a1) {
        try {
            return (int) MPI_Win_fence.NUMBERS.invokeExact(a0, a1);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Win_flush {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Win_flush$address(), mpi_abi_h.MPI_Win_flush$descriptor(), List.of());
    }

    @HotPath
    static int winFlush(int a0, long a1) {
        try {
            return (int) MPI_Win_flush.NUMBERS.invokeExact(a0, a1);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Win_flush_all {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Win_flush_all$address(), mpi_abi_h.MPI_Win_flush_all$descriptor(), List.of());
    }

    @HotPath
    static int winFlushAll(long a0) {
        try {
            return (int) MPI_Win_flush_all.NUMBERS.invokeExact(a0);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Win_flush_local {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Win_flush_local$address(), mpi_abi_h.MPI_Win_flush_local$descriptor(), List.of());
    }

    @HotPath
    static int winFlushLocal(int a0, long a1) {
        try {
            return (int) MPI_Win_flush_local.NUMBERS.invokeExact(a0, a1);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Win_flush_local_all {
        static final MethodHandle NUMBERS = link(
                mpi_abi_h.MPI_Win_flush_local_all$address(), mpi_abi_h.MPI_Win_flush_local_all$descriptor(), List.of());
    }

    @HotPath
    static int winFlushLocalAll(long a0) {
        try {
            return (int) MPI_Win_flush_local_all.NUMBERS.invokeExact(a0);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Win_lock {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Win_lock$address(), mpi_abi_h.MPI_Win_lock$descriptor(), List.of());
    }

    @HotPath
    static int winLock(int a0, int a1, int a2, long a3) {
        try {
            return (int) MPI_Win_lock.NUMBERS.invokeExact(a0, a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Win_sync {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Win_sync$address(), mpi_abi_h.MPI_Win_sync$descriptor(), List.of());
    }

    @HotPath
    static int winSync(long a0) {
        try {
            return (int) MPI_Win_sync.NUMBERS.invokeExact(a0);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static final class MPI_Win_unlock {
        static final MethodHandle NUMBERS =
                link(mpi_abi_h.MPI_Win_unlock$address(), mpi_abi_h.MPI_Win_unlock$descriptor(), List.of());
    }

    @HotPath
    static int winUnlock(int a0, long a1) {
        try {
            return (int) MPI_Win_unlock.NUMBERS.invokeExact(a0, a1);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }
}
