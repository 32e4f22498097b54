// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A key under which a program keeps a number with its communicators, windows or datatypes, shared with C code of the same
 * process: the value of {@code MPI_Comm_set_attr}, which is a pointer in C. Java code that has an object at hand rather
 * keeps a map.
 */
public final class Keyval extends MpiObject {

    /** What has attributes. */
    public enum Kind {
        /** {@link Communicator}. */
        COMMUNICATOR("Comm"),
        /** {@link Window}. */
        WINDOW("Win"),
        /** {@link Datatype}. */
        DATATYPE("Type");

        private final String c;

        Kind(String c) {
            this.c = c;
        }
    }

    private final Kind of;
    private final int key;

    private Keyval(Instance instance, MemorySegment handle, Kind of, int key) {
        super(instance, handle, false);
        this.of = of;
        this.key = key;
    }

    /**
     * Makes a key: {@code MPI_Comm_create_keyval}, {@code MPI_Win_create_keyval} or {@code MPI_Type_create_keyval}.
     *
     * @param of what has the attributes
     * @param copied whether a duplicate gets the same value, or none
     * @return the key
     */
    public static Keyval create(Kind of, boolean copied) {
        Instance instance = Instance.entered();
        // By the ABI, the functions that copy and that do nothing are the numbers 1 and 0.
        MemorySegment copy = MemorySegment.ofAddress(copied ? 1 : 0);
        MemorySegment none = MemorySegment.NULL;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment key = arena.allocate(JAVA_INT);
            int code = switch (of) {
                case COMMUNICATOR -> mpi_abi_h.MPI_Comm_create_keyval(copy, none, key, none);
                case WINDOW -> mpi_abi_h.MPI_Win_create_keyval(copy, none, key, none);
                case DATATYPE -> mpi_abi_h.MPI_Type_create_keyval(copy, none, key, none);
            };
            instance.check(code, "MPI_" + of.c + "_create_keyval", of);
            int number = key.get(JAVA_INT, 0);
            return new Keyval(instance, MemorySegment.ofAddress(number), of, number);
        }
    }

    /**
     * Gives an object a value: {@code MPI_Comm_set_attr} and its like.
     *
     * @param object a communicator, window or datatype, as the key is for
     * @param value the value
     */
    public void set(MpiObject object, long value) {
        MemorySegment pointer = MemorySegment.ofAddress(value);
        MemorySegment its = handle(object);
        int code = switch (of) {
            case COMMUNICATOR -> mpi_abi_h.MPI_Comm_set_attr(its, key, pointer);
            case WINDOW -> mpi_abi_h.MPI_Win_set_attr(its, key, pointer);
            case DATATYPE -> mpi_abi_h.MPI_Type_set_attr(its, key, pointer);
        };
        instance.check(code, "MPI_" + of.c + "_set_attr", object);
    }

    /**
     * An object's value: {@code MPI_Comm_get_attr} and its like.
     *
     * @param object the object
     * @param none what to return if it has none
     * @return the value
     */
    public long get(MpiObject object, long none) {
        MemorySegment its = handle(object);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ADDRESS);
            MemorySegment flag = arena.allocate(JAVA_INT);
            int code = switch (of) {
                case COMMUNICATOR -> mpi_abi_h.MPI_Comm_get_attr(its, key, value, flag);
                case WINDOW -> mpi_abi_h.MPI_Win_get_attr(its, key, value, flag);
                case DATATYPE -> mpi_abi_h.MPI_Type_get_attr(its, key, value, flag);
            };
            instance.check(code, "MPI_" + of.c + "_get_attr", object);
            return flag.get(JAVA_INT, 0) == 0 ? none : value.get(ADDRESS, 0).address();
        }
    }

    /**
     * Takes an object's value away: {@code MPI_Comm_delete_attr} and its like.
     *
     * @param object the object, which must have one
     */
    public void delete(MpiObject object) {
        MemorySegment its = handle(object);
        int code = switch (of) {
            case COMMUNICATOR -> mpi_abi_h.MPI_Comm_delete_attr(its, key);
            case WINDOW -> mpi_abi_h.MPI_Win_delete_attr(its, key);
            case DATATYPE -> mpi_abi_h.MPI_Type_delete_attr(its, key);
        };
        instance.check(code, "MPI_" + of.c + "_delete_attr", object);
    }

    private MemorySegment handle(MpiObject object) {
        handle();
        boolean fits = switch (of) {
            case COMMUNICATOR -> object instanceof Communicator;
            case WINDOW -> object instanceof Window;
            case DATATYPE -> object instanceof Datatype;
        };
        if (!fits) {
            throw new IllegalArgumentException(object + " has no attributes of " + this);
        }
        return object.handle();
    }

    /** Frees it: {@code MPI_Comm_free_keyval} and its like. Values stay until their objects are closed. */
    @Override
    public void close() {
        free("MPI_" + of.c + "_free_keyval", pointer -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment number = arena.allocateFrom(JAVA_INT, key);
                return switch (of) {
                    case COMMUNICATOR -> mpi_abi_h.MPI_Comm_free_keyval(number);
                    case WINDOW -> mpi_abi_h.MPI_Win_free_keyval(number);
                    case DATATYPE -> mpi_abi_h.MPI_Type_free_keyval(number);
                };
            }
        });
    }

    @Override
    String kind() {
        return "Keyval";
    }

    @Override
    public String toString() {
        return "Keyval(" + of + ")";
    }
}
