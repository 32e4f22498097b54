// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * MPI without a world, for a part of a program: {@code MPI_Session}. A process may have several, one after another or at once,
 * beside {@link Mpi} or without it. A group of processes comes from one of its process sets, and a communicator from the
 * group by {@link Communicator#createFromGroup}.
 */
public final class Session implements AutoCloseable {

    /** The process set of all that the launcher has started. */
    public static final String WORLD = "mpi://WORLD";

    /** The process set of this process alone. */
    public static final String SELF = "mpi://SELF";

    private final Instance instance;
    private final MemorySegment handle;

    private Session(Instance instance, MemorySegment handle) {
        this.instance = instance;
        this.handle = handle;
    }

    /**
     * Begins a session: {@code MPI_Session_init}.
     *
     * @param wanted which threads are to call MPI in it
     * @return the session; {@link #threadLevel} may be lower than wanted
     * @throws MpiUnavailableException if this machine has no MPI with the standard's ABI, or the JVM denies native access
     */
    public static Session init(ThreadLevel wanted) {
        MpiLibrary.load();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ADDRESS);
            MemorySegment info = arena.allocate(ADDRESS);
            check(mpi_abi_h.MPI_Info_create(info), "MPI_Info_create", wanted);
            check(
                    mpi_abi_h.MPI_Info_set(
                            info.get(ADDRESS, 0),
                            arena.allocateFrom("thread_level"),
                            arena.allocateFrom("MPI_THREAD_" + wanted)),
                    "MPI_Info_set",
                    wanted);
            int code = mpi_abi_h.MPI_Session_init(info.get(ADDRESS, 0), mpi_abi_h.MPI_ERRORS_RETURN(), pointer);
            check(mpi_abi_h.MPI_Info_free(info), "MPI_Info_free", wanted);
            check(code, "MPI_Session_init", wanted);
            MemorySegment session = pointer.get(ADDRESS, 0);
            return new Session(new Instance("Session", provided(session, wanted)), session);
        }
    }

    private static void check(int code, String call, Object object) {
        if (code != 0) {
            throw Instance.failure(code, call, object);
        }
    }

    private static ThreadLevel provided(MemorySegment session, ThreadLevel wanted) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment used = arena.allocate(ADDRESS);
            check(mpi_abi_h.MPI_Session_get_info(session, used), "MPI_Session_get_info", wanted);
            MemorySegment text = arena.allocate(64);
            MemorySegment flag = arena.allocate(JAVA_INT);
            check(
                    mpi_abi_h.MPI_Info_get_string(
                            used.get(ADDRESS, 0),
                            arena.allocateFrom("thread_level"),
                            arena.allocateFrom(JAVA_INT, 64),
                            text,
                            flag),
                    "MPI_Info_get_string",
                    wanted);
            check(mpi_abi_h.MPI_Info_free(used), "MPI_Info_free", wanted);
            return flag.get(JAVA_INT, 0) == 0
                    ? wanted
                    : ThreadLevel.valueOf(
                            text.getString(0, StandardCharsets.UTF_8).replace("MPI_THREAD_", ""));
        }
    }

    private MemorySegment handle() {
        instance.enter();
        return handle;
    }

    /**
     * Which threads may call MPI in it.
     *
     * @return what MPI has provided
     */
    public ThreadLevel threadLevel() {
        return instance.level;
    }

    /**
     * The process sets: {@code MPI_Session_get_num_psets} and {@code MPI_Session_get_nth_pset}.
     *
     * @return their names, {@link #WORLD} and {@link #SELF} among them
     */
    public List<String> processSets() {
        var names = new ArrayList<String>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            instance.check(
                    mpi_abi_h.MPI_Session_get_num_psets(handle(), Info.NULL.handle(), number),
                    "MPI_Session_get_num_psets",
                    this);
            int count = number.get(JAVA_INT, 0);
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_PSET_NAME_LEN());
            for (int i = 0; i < count; i++) {
                number.set(JAVA_INT, 0, (int) text.byteSize());
                instance.check(
                        mpi_abi_h.MPI_Session_get_nth_pset(handle(), Info.NULL.handle(), i, number, text),
                        "MPI_Session_get_nth_pset",
                        this);
                names.add(text.getString(0, StandardCharsets.UTF_8));
            }
        }
        return names;
    }

    /**
     * What is known of a process set: {@code MPI_Session_get_pset_info}.
     *
     * @param name its name
     * @return a new info, whose hint {@code mpi_size} says how many processes it has
     */
    public Info processSetInfo(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return Info.get(
                    instance,
                    "MPI_Session_get_pset_info",
                    name,
                    info -> mpi_abi_h.MPI_Session_get_pset_info(handle(), text, info));
        }
    }

    /**
     * The hints that are in use: {@code MPI_Session_get_info}.
     *
     * @return a new info
     */
    public Info info() {
        return Info.get(instance, "MPI_Session_get_info", this, info -> mpi_abi_h.MPI_Session_get_info(handle(), info));
    }

    /**
     * The processes of a set: {@code MPI_Group_from_session_pset}.
     *
     * @param name the set's name
     * @return a new group
     */
    public Group group(String name) {
        return Group.get(
                instance,
                "MPI_Group_from_session_pset",
                name,
                (arena, group) -> mpi_abi_h.MPI_Group_from_session_pset(handle(), arena.allocateFrom(name), group));
    }

    /**
     * Ends it: {@code MPI_Session_finalize}. It may wait for the other processes.
     *
     * @throws IllegalStateException if objects of it are open; their numbers are in the message, and you can try again
     */
    @Override
    public void close() {
        if (instance.isClosed()) {
            return;
        }
        instance.checkUnused();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocateFrom(ADDRESS, handle);
            check(mpi_abi_h.MPI_Session_finalize(pointer), "MPI_Session_finalize", this);
        }
        instance.close();
    }

    @Override
    public String toString() {
        return "Session(" + instance.level + ")";
    }
}
