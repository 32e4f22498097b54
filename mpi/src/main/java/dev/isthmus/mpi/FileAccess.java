// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * The calls of a {@link MpiFile} that transfer data. Offsets count the view's elements of {@link MpiFile#setView}, bytes at
 * first. Written by {@code mpi/generate}.
 */
@SuppressWarnings("ReachabilityFenceUsage") // what throws has not called C
public abstract sealed class FileAccess extends MpiObject permits MpiFile {

    Data splitData; // of the split operation that has begun, or null

    FileAccess(Instance instance, MemorySegment handle) {
        super(instance, handle, false);
    }

    abstract void beginSplit(Buffer buffer);

    abstract void endSplit();

    /**
     * Reads elements at this rank's file pointer: {@code MPI_File_read_c}. Blocks.
     *
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void read(Buffer buffer, Status status) {
        long a1 = buffer.into();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileRead(pointer(), a1, a2, a3, status.address())
                : Calls.fileRead(pointer(), buffer.segment, a2, a3, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_read_c", this);
    }

    /**
     * Reads elements at this rank's file pointer: {@code MPI_File_iread_c}. Does not wait.
     *
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void iread(Buffer buffer, Request request) {
        long a0 = buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIread(file, a0, a1, a2, slot), "MPI_File_iread_c", this);
    }

    /**
     * Reads elements at an offset: {@code MPI_File_read_at_c}. Blocks.
     *
     * @param offset where in the file
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void readAt(long offset, Buffer buffer, Status status) {
        long a1 = offset(offset);
        long a2 = buffer.into();
        long a3 = buffer.count;
        long a4 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileReadAt(pointer(), a1, a2, a3, a4, status.address())
                : Calls.fileReadAt(pointer(), a1, buffer.segment, a3, a4, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_read_at_c", this);
    }

    /**
     * Reads elements at an offset: {@code MPI_File_iread_at_c}. Does not wait.
     *
     * @param offset where in the file
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void ireadAt(long offset, Buffer buffer, Request request) {
        long a0 = offset(offset);
        long a1 = buffer.into();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIreadAt(file, a0, a1, a2, a3, slot), "MPI_File_iread_at_c", this);
    }

    /**
     * Reads elements at this rank's file pointer, with all ranks: {@code MPI_File_read_all_c}. Collective; blocks.
     *
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void readAll(Buffer buffer, Status status) {
        long a1 = buffer.into();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileReadAll(pointer(), a1, a2, a3, status.address())
                : Calls.fileReadAll(pointer(), buffer.segment, a2, a3, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_read_all_c", this);
    }

    /**
     * Reads elements at this rank's file pointer, with all ranks: {@code MPI_File_iread_all_c}. Collective; does not wait.
     *
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void ireadAll(Buffer buffer, Request request) {
        long a0 = buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIreadAll(file, a0, a1, a2, slot), "MPI_File_iread_all_c", this);
    }

    /**
     * Begins what {@link #readAllEnd} ends: {@code MPI_File_read_all_begin_c}. Collective; one at a time.
     *
     * @param buffer the elements
     */
    @HotPath
    public final void readAllBegin(Buffer buffer) {
        beginSplit(buffer);
        boolean done = false;
        try {
            instance.check(
                    Calls.fileReadAllBegin(pointer(), buffer.into(), buffer.count, buffer.pointer()),
                    "MPI_File_read_all_begin_c",
                    this);
            done = true;
        } finally {
            if (!done) {
                endSplit();
            }
        }
    }

    /**
     * Ends what {@link #readAllBegin} has begun: {@code MPI_File_read_all_end}. Collective; blocks.
     *
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void readAllEnd(Status status) {
        long memory = split();
        try {
            int code = Calls.fileReadAllEnd(pointer(), memory, status.address());
            Reference.reachabilityFence(status);
            instance.check(code, "MPI_File_read_all_end", this);
        } finally {
            endSplit();
        }
    }

    /**
     * Reads elements at an offset, with all ranks: {@code MPI_File_read_at_all_c}. Collective; blocks.
     *
     * @param offset where in the file
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void readAtAll(long offset, Buffer buffer, Status status) {
        long a1 = offset(offset);
        long a2 = buffer.into();
        long a3 = buffer.count;
        long a4 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileReadAtAll(pointer(), a1, a2, a3, a4, status.address())
                : Calls.fileReadAtAll(pointer(), a1, buffer.segment, a3, a4, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_read_at_all_c", this);
    }

    /**
     * Reads elements at an offset, with all ranks: {@code MPI_File_iread_at_all_c}. Collective; does not wait.
     *
     * @param offset where in the file
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void ireadAtAll(long offset, Buffer buffer, Request request) {
        long a0 = offset(offset);
        long a1 = buffer.into();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIreadAtAll(file, a0, a1, a2, a3, slot), "MPI_File_iread_at_all_c", this);
    }

    /**
     * Begins what {@link #readAtAllEnd} ends: {@code MPI_File_read_at_all_begin_c}. Collective; one at a time.
     *
     * @param offset where in the file
     * @param buffer the elements
     */
    @HotPath
    public final void readAtAllBegin(long offset, Buffer buffer) {
        beginSplit(buffer);
        boolean done = false;
        try {
            instance.check(
                    Calls.fileReadAtAllBegin(pointer(), offset(offset), buffer.into(), buffer.count, buffer.pointer()),
                    "MPI_File_read_at_all_begin_c",
                    this);
            done = true;
        } finally {
            if (!done) {
                endSplit();
            }
        }
    }

    /**
     * Ends what {@link #readAtAllBegin} has begun: {@code MPI_File_read_at_all_end}. Collective; blocks.
     *
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void readAtAllEnd(Status status) {
        long memory = split();
        try {
            int code = Calls.fileReadAtAllEnd(pointer(), memory, status.address());
            Reference.reachabilityFence(status);
            instance.check(code, "MPI_File_read_at_all_end", this);
        } finally {
            endSplit();
        }
    }

    /**
     * Reads elements at the file pointer that all ranks share: {@code MPI_File_read_shared_c}. Blocks.
     *
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void readShared(Buffer buffer, Status status) {
        long a1 = buffer.into();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileReadShared(pointer(), a1, a2, a3, status.address())
                : Calls.fileReadShared(pointer(), buffer.segment, a2, a3, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_read_shared_c", this);
    }

    /**
     * Reads elements at the file pointer that all ranks share: {@code MPI_File_iread_shared_c}. Does not wait.
     *
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void ireadShared(Buffer buffer, Request request) {
        long a0 = buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIreadShared(file, a0, a1, a2, slot), "MPI_File_iread_shared_c", this);
    }

    /**
     * Reads elements at the shared file pointer, in the order of ranks: {@code MPI_File_read_ordered_c}. Collective; blocks.
     *
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void readOrdered(Buffer buffer, Status status) {
        long a1 = buffer.into();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileReadOrdered(pointer(), a1, a2, a3, status.address())
                : Calls.fileReadOrdered(pointer(), buffer.segment, a2, a3, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_read_ordered_c", this);
    }

    /**
     * Begins what {@link #readOrderedEnd} ends: {@code MPI_File_read_ordered_begin_c}. Collective; one at a time.
     *
     * @param buffer the elements
     */
    @HotPath
    public final void readOrderedBegin(Buffer buffer) {
        beginSplit(buffer);
        boolean done = false;
        try {
            instance.check(
                    Calls.fileReadOrderedBegin(pointer(), buffer.into(), buffer.count, buffer.pointer()),
                    "MPI_File_read_ordered_begin_c",
                    this);
            done = true;
        } finally {
            if (!done) {
                endSplit();
            }
        }
    }

    /**
     * Ends what {@link #readOrderedBegin} has begun: {@code MPI_File_read_ordered_end}. Collective; blocks.
     *
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void readOrderedEnd(Status status) {
        long memory = split();
        try {
            int code = Calls.fileReadOrderedEnd(pointer(), memory, status.address());
            Reference.reachabilityFence(status);
            instance.check(code, "MPI_File_read_ordered_end", this);
        } finally {
            endSplit();
        }
    }

    /**
     * Writes elements at this rank's file pointer: {@code MPI_File_write_c}. Blocks.
     *
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void write(Buffer buffer, Status status) {
        long a1 = buffer.from();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileWrite(pointer(), a1, a2, a3, status.address())
                : Calls.fileWrite(pointer(), buffer.segment, a2, a3, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_write_c", this);
    }

    /**
     * Writes elements at this rank's file pointer: {@code MPI_File_iwrite_c}. Does not wait.
     *
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void iwrite(Buffer buffer, Request request) {
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIwrite(file, a0, a1, a2, slot), "MPI_File_iwrite_c", this);
    }

    /**
     * Writes elements at an offset: {@code MPI_File_write_at_c}. Blocks.
     *
     * @param offset where in the file
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void writeAt(long offset, Buffer buffer, Status status) {
        long a1 = offset(offset);
        long a2 = buffer.from();
        long a3 = buffer.count;
        long a4 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileWriteAt(pointer(), a1, a2, a3, a4, status.address())
                : Calls.fileWriteAt(pointer(), a1, buffer.segment, a3, a4, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_write_at_c", this);
    }

    /**
     * Writes elements at an offset: {@code MPI_File_iwrite_at_c}. Does not wait.
     *
     * @param offset where in the file
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void iwriteAt(long offset, Buffer buffer, Request request) {
        long a0 = offset(offset);
        long a1 = buffer.from();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIwriteAt(file, a0, a1, a2, a3, slot), "MPI_File_iwrite_at_c", this);
    }

    /**
     * Writes elements at this rank's file pointer, with all ranks: {@code MPI_File_write_all_c}. Collective; blocks.
     *
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void writeAll(Buffer buffer, Status status) {
        long a1 = buffer.from();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileWriteAll(pointer(), a1, a2, a3, status.address())
                : Calls.fileWriteAll(pointer(), buffer.segment, a2, a3, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_write_all_c", this);
    }

    /**
     * Writes elements at this rank's file pointer, with all ranks: {@code MPI_File_iwrite_all_c}. Collective; does not wait.
     *
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void iwriteAll(Buffer buffer, Request request) {
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIwriteAll(file, a0, a1, a2, slot), "MPI_File_iwrite_all_c", this);
    }

    /**
     * Begins what {@link #writeAllEnd} ends: {@code MPI_File_write_all_begin_c}. Collective; one at a time.
     *
     * @param buffer the elements
     */
    @HotPath
    public final void writeAllBegin(Buffer buffer) {
        beginSplit(buffer);
        boolean done = false;
        try {
            instance.check(
                    Calls.fileWriteAllBegin(pointer(), buffer.from(), buffer.count, buffer.pointer()),
                    "MPI_File_write_all_begin_c",
                    this);
            done = true;
        } finally {
            if (!done) {
                endSplit();
            }
        }
    }

    /**
     * Ends what {@link #writeAllBegin} has begun: {@code MPI_File_write_all_end}. Collective; blocks.
     *
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void writeAllEnd(Status status) {
        long memory = split();
        try {
            int code = Calls.fileWriteAllEnd(pointer(), memory, status.address());
            Reference.reachabilityFence(status);
            instance.check(code, "MPI_File_write_all_end", this);
        } finally {
            endSplit();
        }
    }

    /**
     * Writes elements at an offset, with all ranks: {@code MPI_File_write_at_all_c}. Collective; blocks.
     *
     * @param offset where in the file
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void writeAtAll(long offset, Buffer buffer, Status status) {
        long a1 = offset(offset);
        long a2 = buffer.from();
        long a3 = buffer.count;
        long a4 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileWriteAtAll(pointer(), a1, a2, a3, a4, status.address())
                : Calls.fileWriteAtAll(pointer(), a1, buffer.segment, a3, a4, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_write_at_all_c", this);
    }

    /**
     * Writes elements at an offset, with all ranks: {@code MPI_File_iwrite_at_all_c}. Collective; does not wait.
     *
     * @param offset where in the file
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void iwriteAtAll(long offset, Buffer buffer, Request request) {
        long a0 = offset(offset);
        long a1 = buffer.from();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIwriteAtAll(file, a0, a1, a2, a3, slot), "MPI_File_iwrite_at_all_c", this);
    }

    /**
     * Begins what {@link #writeAtAllEnd} ends: {@code MPI_File_write_at_all_begin_c}. Collective; one at a time.
     *
     * @param offset where in the file
     * @param buffer the elements
     */
    @HotPath
    public final void writeAtAllBegin(long offset, Buffer buffer) {
        beginSplit(buffer);
        boolean done = false;
        try {
            instance.check(
                    Calls.fileWriteAtAllBegin(pointer(), offset(offset), buffer.from(), buffer.count, buffer.pointer()),
                    "MPI_File_write_at_all_begin_c",
                    this);
            done = true;
        } finally {
            if (!done) {
                endSplit();
            }
        }
    }

    /**
     * Ends what {@link #writeAtAllBegin} has begun: {@code MPI_File_write_at_all_end}. Collective; blocks.
     *
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void writeAtAllEnd(Status status) {
        long memory = split();
        try {
            int code = Calls.fileWriteAtAllEnd(pointer(), memory, status.address());
            Reference.reachabilityFence(status);
            instance.check(code, "MPI_File_write_at_all_end", this);
        } finally {
            endSplit();
        }
    }

    /**
     * Writes elements at the file pointer that all ranks share: {@code MPI_File_write_shared_c}. Blocks.
     *
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void writeShared(Buffer buffer, Status status) {
        long a1 = buffer.from();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileWriteShared(pointer(), a1, a2, a3, status.address())
                : Calls.fileWriteShared(pointer(), buffer.segment, a2, a3, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_write_shared_c", this);
    }

    /**
     * Writes elements at the file pointer that all ranks share: {@code MPI_File_iwrite_shared_c}. Does not wait.
     *
     * @param buffer the elements
     * @param request is started
     */
    @HotPath
    public final void iwriteShared(Buffer buffer, Request request) {
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        long file = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.fileIwriteShared(file, a0, a1, a2, slot), "MPI_File_iwrite_shared_c", this);
    }

    /**
     * Writes elements at the shared file pointer, in the order of ranks: {@code MPI_File_write_ordered_c}. Collective; blocks.
     *
     * @param buffer the elements
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void writeOrdered(Buffer buffer, Status status) {
        long a1 = buffer.from();
        long a2 = buffer.count;
        long a3 = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.fileWriteOrdered(pointer(), a1, a2, a3, status.address())
                : Calls.fileWriteOrdered(pointer(), buffer.segment, a2, a3, status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_File_write_ordered_c", this);
    }

    /**
     * Begins what {@link #writeOrderedEnd} ends: {@code MPI_File_write_ordered_begin_c}. Collective; one at a time.
     *
     * @param buffer the elements
     */
    @HotPath
    public final void writeOrderedBegin(Buffer buffer) {
        beginSplit(buffer);
        boolean done = false;
        try {
            instance.check(
                    Calls.fileWriteOrderedBegin(pointer(), buffer.from(), buffer.count, buffer.pointer()),
                    "MPI_File_write_ordered_begin_c",
                    this);
            done = true;
        } finally {
            if (!done) {
                endSplit();
            }
        }
    }

    /**
     * Ends what {@link #writeOrderedBegin} has begun: {@code MPI_File_write_ordered_end}. Collective; blocks.
     *
     * @param status takes how many elements, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void writeOrderedEnd(Status status) {
        long memory = split();
        try {
            int code = Calls.fileWriteOrderedEnd(pointer(), memory, status.address());
            Reference.reachabilityFence(status);
            instance.check(code, "MPI_File_write_ordered_end", this);
        } finally {
            endSplit();
        }
    }

    @HotPath
    private static long offset(long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("an offset is 0 or more, not " + offset);
        }
        return offset;
    }

    private long split() {
        if (splitData == null) {
            throw new IllegalStateException("no split operation has begun");
        }
        return splitData.memory().segment.address();
    }
}
