// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * A file that several ranks read and write: {@code MPI_File}. Each sees what its view takes of it. The calls that transfer
 * data are those of {@link FileAccess}. To open a file, to set its view and to close it are collective calls.
 */
public final class MpiFile extends FileAccess {

    /** How a file is opened. */
    public enum Mode {
        /** {@code MPI_MODE_APPEND}: the file pointers are at the end at first. */
        APPEND(1),
        /** {@code MPI_MODE_CREATE}: makes the file if it is not there. */
        CREATE(2),
        /** {@code MPI_MODE_DELETE_ON_CLOSE}. */
        DELETE_ON_CLOSE(4),
        /** {@code MPI_MODE_EXCL}: fails if the file is there. */
        EXCL(8),
        /** {@code MPI_MODE_RDONLY}. */
        RDONLY(16),
        /** {@code MPI_MODE_RDWR}. */
        RDWR(32),
        /** {@code MPI_MODE_SEQUENTIAL}: only the shared file pointer is used. */
        SEQUENTIAL(64),
        /** {@code MPI_MODE_UNIQUE_OPEN}: nobody else has the file open. */
        UNIQUE_OPEN(128),
        /** {@code MPI_MODE_WRONLY}. */
        WRONLY(256);

        private final int bit;

        Mode(int bit) {
            this.bit = bit;
        }
    }

    /** What a file pointer is moved from. */
    public enum Whence {
        /** {@code MPI_SEEK_SET}: the start. */
        SET(403),
        /** {@code MPI_SEEK_CUR}: where it is. */
        CUR(401),
        /** {@code MPI_SEEK_END}: the end. */
        END(402);

        private final int number;

        Whence(int number) {
            this.number = number;
        }
    }

    /** A call that writes a number. */
    private interface NumberQuery {
        int call(MemorySegment out);
    }

    private final String path;

    private MpiFile(Instance instance, MemorySegment handle, String path) {
        super(instance, handle);
        this.path = path;
        instance.check(
                mpi_abi_h.MPI_File_set_errhandler(handle, mpi_abi_h.MPI_ERRORS_RETURN()),
                "MPI_File_set_errhandler",
                path);
    }

    /**
     * Opens a file: {@code MPI_File_open}.
     *
     * @param communicator the ranks, each of which opens it
     * @param path where it is
     * @param modes how; one of RDONLY, WRONLY and RDWR is among them
     * @param info hints
     * @return the file, whose view is its bytes
     */
    public static MpiFile open(Communicator communicator, Path path, Set<Mode> modes, Info info) {
        int bits = modes.stream().mapToInt(mode -> mode.bit).sum();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = arena.allocate(ADDRESS);
            communicator.instance.check(
                    mpi_abi_h.MPI_File_open(
                            communicator.handle(), arena.allocateFrom(path.toString()), bits, info.handle(), file),
                    "MPI_File_open",
                    path);
            return new MpiFile(communicator.instance, file.get(ADDRESS, 0), path.toString());
        }
    }

    /**
     * Deletes a file: {@code MPI_File_delete}.
     *
     * @param path where it is
     */
    public static void delete(Path path) {
        Instance any = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            any.check(
                    mpi_abi_h.MPI_File_delete(arena.allocateFrom(path.toString()), Info.NULL.handle()),
                    "MPI_File_delete",
                    path);
        }
    }

    private long number(String call, NumberQuery function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            instance.check(function.call(out), call, this);
            return out.get(JAVA_LONG, 0);
        }
    }

    /**
     * Sets the view: {@code MPI_File_set_view}. Collective; all file pointers return to the start.
     *
     * @param displacement where the view begins, in bytes
     * @param element what offsets count
     * @param type which elements this rank sees, again and again
     * @param representation native, internal or external32
     * @param info hints
     */
    public void setView(long displacement, Datatype element, Datatype type, String representation, Info info) {
        try (Arena arena = Arena.ofConfined()) {
            instance.check(
                    mpi_abi_h.MPI_File_set_view(
                            handle(),
                            displacement,
                            element.handle(),
                            type.handle(),
                            arena.allocateFrom(representation),
                            info.handle()),
                    "MPI_File_set_view",
                    this);
        }
    }

    /**
     * Where the view begins, and how it represents data: {@code MPI_File_get_view}.
     *
     * @return the displacement in bytes and the representation, such as "0 native"
     */
    public String view() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment displacement = arena.allocate(JAVA_LONG);
            MemorySegment types = arena.allocate(ADDRESS, 2);
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_DATAREP_STRING());
            instance.check(
                    mpi_abi_h.MPI_File_get_view(handle(), displacement, types, types.asSlice(ADDRESS.byteSize()), text),
                    "MPI_File_get_view",
                    this);
            for (long i = 0; i < 2; i++) { // derived ones are new handles
                MemorySegment type = types.asSlice(i * ADDRESS.byteSize(), ADDRESS);
                Datatype.freeIfDerived(instance, type);
            }
            return displacement.get(JAVA_LONG, 0) + " " + text.getString(0, StandardCharsets.UTF_8);
        }
    }

    /**
     * The file's size: {@code MPI_File_get_size}.
     *
     * @return bytes
     */
    public long size() {
        return number("MPI_File_get_size", out -> mpi_abi_h.MPI_File_get_size(handle(), out));
    }

    /**
     * Sets the file's size: {@code MPI_File_set_size}. Collective.
     *
     * @param bytes the size
     */
    public void setSize(long bytes) {
        instance.check(mpi_abi_h.MPI_File_set_size(handle(), bytes), "MPI_File_set_size", this);
    }

    /**
     * Allocates room on the disk: {@code MPI_File_preallocate}. Collective.
     *
     * @param bytes how much of the file
     */
    public void preallocate(long bytes) {
        instance.check(mpi_abi_h.MPI_File_preallocate(handle(), bytes), "MPI_File_preallocate", this);
    }

    /**
     * Moves this rank's file pointer: {@code MPI_File_seek}.
     *
     * @param offset how far, in the view's elements
     * @param whence from where
     */
    public void seek(long offset, Whence whence) {
        instance.check(mpi_abi_h.MPI_File_seek(handle(), offset, whence.number), "MPI_File_seek", this);
    }

    /**
     * Where this rank's file pointer is: {@code MPI_File_get_position}.
     *
     * @return in the view's elements
     */
    public long position() {
        return number("MPI_File_get_position", out -> mpi_abi_h.MPI_File_get_position(handle(), out));
    }

    /**
     * Moves the shared file pointer: {@code MPI_File_seek_shared}. Collective.
     *
     * @param offset how far, in the view's elements
     * @param whence from where
     */
    public void seekShared(long offset, Whence whence) {
        instance.check(mpi_abi_h.MPI_File_seek_shared(handle(), offset, whence.number), "MPI_File_seek_shared", this);
    }

    /**
     * Where the shared file pointer is: {@code MPI_File_get_position_shared}.
     *
     * @return in the view's elements
     */
    public long positionShared() {
        return number("MPI_File_get_position_shared", out -> mpi_abi_h.MPI_File_get_position_shared(handle(), out));
    }

    /**
     * Where an offset of the view is in the file: {@code MPI_File_get_byte_offset}.
     *
     * @param offset in the view's elements
     * @return bytes from the file's start
     */
    public long byteOffset(long offset) {
        return number("MPI_File_get_byte_offset", out -> mpi_abi_h.MPI_File_get_byte_offset(handle(), offset, out));
    }

    /**
     * How far apart elements lie in the file: {@code MPI_File_get_type_extent_c}.
     *
     * @param type the elements' type
     * @return bytes
     */
    public long typeExtent(Datatype type) {
        return number(
                "MPI_File_get_type_extent_c",
                out -> mpi_abi_h.MPI_File_get_type_extent_c(handle(), type.handle(), out));
    }

    /**
     * How it was opened: {@code MPI_File_get_amode}.
     *
     * @return the modes
     */
    public Set<Mode> modes() {
        long bits = number("MPI_File_get_amode", out -> mpi_abi_h.MPI_File_get_amode(handle(), out));
        var modes = EnumSet.noneOf(Mode.class);
        for (Mode mode : Mode.values()) {
            if ((bits & mode.bit) != 0) {
                modes.add(mode);
            }
        }
        return modes;
    }

    /**
     * Whether overlapping accesses of several ranks are ordered: {@code MPI_File_get_atomicity}.
     *
     * @return true in atomic mode
     */
    public boolean isAtomic() {
        return number("MPI_File_get_atomicity", out -> mpi_abi_h.MPI_File_get_atomicity(handle(), out)) != 0;
    }

    /**
     * Orders overlapping accesses of several ranks, or does not: {@code MPI_File_set_atomicity}. Collective.
     *
     * @param atomic whether it does
     */
    public void setAtomic(boolean atomic) {
        instance.check(mpi_abi_h.MPI_File_set_atomicity(handle(), atomic ? 1 : 0), "MPI_File_set_atomicity", this);
    }

    /** Writes what has been written to the disk, and lets other ranks read it: {@code MPI_File_sync}. Collective. */
    public void sync() {
        instance.check(mpi_abi_h.MPI_File_sync(handle()), "MPI_File_sync", this);
    }

    /**
     * Its processes: {@code MPI_File_get_group}.
     *
     * @return a new group
     */
    public Group group() {
        return Group.get(
                instance, "MPI_File_get_group", this, (arena, group) -> mpi_abi_h.MPI_File_get_group(handle(), group));
    }

    /**
     * The hints that are in use: {@code MPI_File_get_info}.
     *
     * @return a new info
     */
    public Info info() {
        return Info.get(instance, "MPI_File_get_info", this, info -> mpi_abi_h.MPI_File_get_info(handle(), info));
    }

    /**
     * Gives hints: {@code MPI_File_set_info}. Collective.
     *
     * @param info the hints
     */
    public void setInfo(Info info) {
        instance.check(mpi_abi_h.MPI_File_set_info(handle(), info.handle()), "MPI_File_set_info", this);
    }

    @Override
    void beginSplit(Buffer buffer) {
        if (splitData != null) {
            throw new IllegalStateException("a split operation of " + this + " has begun: end it first");
        }
        if (buffer.guard != null) {
            buffer.guard.begin();
        }
        splitData = buffer;
    }

    @Override
    void endSplit() {
        GuardedArena guard = splitData.memory().guard;
        if (guard != null) {
            guard.end();
        }
        splitData = null;
    }

    /**
     * Closes it: {@code MPI_File_close}. Collective.
     *
     * @throws IllegalStateException if a split operation has begun and not ended
     */
    @Override
    public void close() {
        if (splitData != null) {
            throw new IllegalStateException("a split operation of " + this + " has begun: end it first");
        }
        free("MPI_File_close", mpi_abi_h::MPI_File_close);
    }

    @Override
    String kind() {
        return "MpiFile";
    }

    @Override
    public String toString() {
        return "MpiFile(" + path + ")";
    }
}
