// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;

/**
 * MPI with a world: {@code MPI_Init_thread} to {@code MPI_Finalize}. A process has it once; {@link Session} has no such limit.
 *
 * {@snippet :
 * Mpi.run(mpi -> {
 *     try (Arena arena = Arena.ofConfined()) {
 *         Communicator world = mpi.world();
 *         Buffer rank = Buffer.of(arena.allocateFrom(ValueLayout.JAVA_INT, world.rank()), Datatype.INT);
 *         world.allreduce(Buffer.IN_PLACE, rank, Operation.SUM);
 *     }
 * });
 * }
 *
 * <p>Start such a program by {@code mpiexec -n 4 java ...}. The library is that of the launcher's folder; or the one that the
 * property {@code isthmus.mpi.library} or the environment variable {@code ISTHMUS_MPI_LIBRARY} names, a file or its folder;
 * or that beside an {@code mpiexec} on the {@code PATH}, or of the Python environment in {@code VIRTUAL_ENV}; or what the
 * linker finds as {@code libmpi_abi.so.1}.
 */
public final class Mpi implements AutoCloseable {

    private static boolean used; // MPI can be initialised once in a process

    private final Instance instance;
    private final Communicator world;
    private final Communicator self;

    private Mpi(Instance instance) {
        this.instance = instance;
        self = new Communicator(instance, mpi_abi_h.MPI_COMM_SELF(), true, "self");
        world = new Communicator(instance, mpi_abi_h.MPI_COMM_WORLD(), true, "world");
    }

    /**
     * Initialises MPI for the calling thread alone: {@link ThreadLevel#FUNNELED}.
     *
     * @return what finalizes it
     * @throws MpiUnavailableException if this machine has no MPI with the standard's ABI, or the JVM denies native access
     * @throws IllegalStateException if MPI has been initialised before
     */
    public static Mpi init() {
        return init(ThreadLevel.FUNNELED);
    }

    /**
     * Initialises MPI: {@code MPI_Init_thread}.
     *
     * @param wanted which threads are to call it
     * @return what finalizes it; {@link #threadLevel} may be lower than wanted
     * @throws MpiUnavailableException if this machine has no MPI with the standard's ABI, or the JVM denies native access
     * @throws IllegalStateException if MPI has been initialised before
     */
    public static synchronized Mpi init(ThreadLevel wanted) {
        MpiLibrary.load();
        if (used || isInitialized()) {
            throw new IllegalStateException(
                    "MPI has been initialised in this process before, which it can be only once");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment provided = arena.allocate(JAVA_INT);
            int code = mpi_abi_h.MPI_Init_thread(MemorySegment.NULL, MemorySegment.NULL, wanted.number(), provided);
            if (code != 0) {
                throw Instance.failure(code, "MPI_Init_thread", wanted);
            }
            used = true;
            return new Mpi(new Instance("Mpi", ThreadLevel.of(provided.get(JAVA_INT, 0))));
        }
    }

    /** What {@link #run} runs. */
    @FunctionalInterface
    public interface Program {

        /**
         * The program.
         *
         * @param mpi is closed for it
         * @throws Exception ends all ranks
         */
        void run(Mpi mpi) throws Exception;
    }

    /**
     * Runs a program between {@link #init()} and {@link #close}. If it throws, the exception is printed and all ranks end, by
     * {@link Communicator#abort}. After {@code try (Mpi mpi = Mpi.init())} the others would wait for this rank for ever, and it
     * for them in {@link #close}.
     *
     * @param program what this rank does
     * @throws MpiUnavailableException if this machine has no MPI with the standard's ABI, or the JVM denies native access
     * @throws IllegalStateException if MPI has been initialised before
     */
    public static void run(Program program) {
        Mpi mpi = init();
        try {
            program.run(mpi);
            mpi.close();
        } catch (Throwable t) {
            t.printStackTrace();
            System.err.flush();
            mpi.world().abort(1);
            Runtime.getRuntime().halt(1); // MPICH returns while the launcher is still ending this process
        }
    }

    private static void check(String call, int code) {
        if (code != 0) {
            throw Instance.failure(code, call, "Mpi");
        }
    }

    private static boolean flag(String call, ToIntFunction<MemorySegment> function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flag = arena.allocate(JAVA_INT);
            check(call, function.applyAsInt(flag));
            return flag.get(JAVA_INT, 0) != 0;
        }
    }

    /**
     * Whether the process has initialised MPI, in Java or in C: {@code MPI_Initialized}. Any thread may ask.
     *
     * @return true from then on
     */
    public static boolean isInitialized() {
        MpiLibrary.load();
        return flag("MPI_Initialized", mpi_abi_h::MPI_Initialized);
    }

    /**
     * Whether the process has finalized MPI: {@code MPI_Finalized}. Any thread may ask.
     *
     * @return true from then on
     */
    public static boolean isFinalized() {
        MpiLibrary.load();
        return flag("MPI_Finalized", mpi_abi_h::MPI_Finalized);
    }

    /**
     * All processes that the launcher has started: {@code MPI_COMM_WORLD}.
     *
     * @return the same object each time
     */
    public Communicator world() {
        return world;
    }

    /**
     * This process alone: {@code MPI_COMM_SELF}.
     *
     * @return the same object each time
     */
    public Communicator self() {
        return self;
    }

    /**
     * Which threads may call: {@code MPI_Query_thread}.
     *
     * @return what MPI has provided
     */
    public ThreadLevel threadLevel() {
        return instance.level;
    }

    /**
     * Whether the calling thread has initialised MPI: {@code MPI_Is_thread_main}.
     *
     * @return true if so
     */
    public boolean isThreadMain() {
        if (instance.isClosed()) {
            throw new IllegalStateException(instance + " is closed");
        }
        return flag("MPI_Is_thread_main", mpi_abi_h::MPI_Is_thread_main);
    }

    /**
     * Where the library was found.
     *
     * @return its path, or its name if the linker found it
     * @throws MpiUnavailableException if there is none
     */
    public static String library() {
        return MpiLibrary.load();
    }

    /**
     * The implementation, in its own words: {@code MPI_Get_library_version}. Needs no initialisation.
     *
     * @return one or more lines
     */
    public static String libraryVersion() {
        MpiLibrary.load();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_LIBRARY_VERSION_STRING());
            mpi_abi_h.MPI_Get_library_version(text, arena.allocate(JAVA_INT));
            return text.getString(0, StandardCharsets.UTF_8);
        }
    }

    /**
     * The version of the standard that the implementation has: {@code MPI_Get_version}.
     *
     * @return such as 5.0
     */
    public static String version() {
        MpiLibrary.load();
        return two("MPI_Get_version", mpi_abi_h::MPI_Get_version);
    }

    /**
     * The version of the ABI that the implementation has: {@code MPI_Abi_get_version}.
     *
     * @return such as 1.0
     */
    public static String abiVersion() {
        MpiLibrary.load();
        return two("MPI_Abi_get_version", mpi_abi_h::MPI_Abi_get_version);
    }

    private static String two(String call, ToIntBiFunction<MemorySegment, MemorySegment> function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 2);
            check(call, function.applyAsInt(numbers, numbers.asSlice(Integer.BYTES)));
            return numbers.get(JAVA_INT, 0) + "." + numbers.getAtIndex(JAVA_INT, 1);
        }
    }

    /**
     * What the implementation says of its ABI: {@code MPI_Abi_get_info}.
     *
     * @return a new info
     */
    public Info abiInfo() {
        return Info.get(instance, "MPI_Abi_get_info", "", mpi_abi_h::MPI_Abi_get_info);
    }

    /**
     * The hardware on which the process runs: {@code MPI_Get_hw_resource_info}.
     *
     * @return a new info: kinds of resources, and whether the process is restricted to one of each
     */
    public Info hardwareInfo() {
        return Info.get(instance, "MPI_Get_hw_resource_info", "", mpi_abi_h::MPI_Get_hw_resource_info);
    }

    /**
     * This machine's name: {@code MPI_Get_processor_name}.
     *
     * @return the name
     */
    public String processorName() {
        instance.enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_PROCESSOR_NAME());
            instance.check(
                    mpi_abi_h.MPI_Get_processor_name(text, arena.allocate(JAVA_INT)), "MPI_Get_processor_name", "");
            return text.getString(0, StandardCharsets.UTF_8);
        }
    }

    /**
     * The time: {@code MPI_Wtime}. {@link System#nanoTime} does as well.
     *
     * @return seconds since some moment of this process
     */
    @HotPath
    public double wtime() {
        instance.enter();
        return mpi_abi_h.MPI_Wtime();
    }

    /**
     * The resolution of {@link #wtime}: {@code MPI_Wtick}.
     *
     * @return seconds
     */
    public double wtick() {
        instance.enter();
        return mpi_abi_h.MPI_Wtick();
    }

    /**
     * Opens a port at which other programs can {@linkplain Communicator#connect connect}: {@code MPI_Open_port}.
     *
     * @return its name
     */
    public String openPort() {
        instance.enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_PORT_NAME());
            instance.check(mpi_abi_h.MPI_Open_port(Info.NULL.handle(), text), "MPI_Open_port", "");
            return text.getString(0, StandardCharsets.UTF_8);
        }
    }

    /**
     * Closes a port: {@code MPI_Close_port}.
     *
     * @param port its name
     */
    public void closePort(String port) {
        instance.enter();
        try (Arena arena = Arena.ofConfined()) {
            instance.check(mpi_abi_h.MPI_Close_port(arena.allocateFrom(port)), "MPI_Close_port", port);
        }
    }

    /**
     * Makes a port known by a name: {@code MPI_Publish_name}. Where names are kept is the launcher's: MPICH's {@code mpiexec}
     * keeps those of its own ranks, and with {@code -nameserver HOST} those of several launchers.
     *
     * @param service the name
     * @param port what {@link #openPort} has returned
     * @throws MpiException if the launcher keeps no names, or has this one already
     */
    public void publishName(String service, String port) {
        name("MPI_Publish_name", service, port, mpi_abi_h::MPI_Publish_name);
    }

    /**
     * Forgets a name: {@code MPI_Unpublish_name}.
     *
     * @param service the name
     * @param port the port for which it was published
     * @throws MpiException if it was not published
     */
    public void unpublishName(String service, String port) {
        name("MPI_Unpublish_name", service, port, mpi_abi_h::MPI_Unpublish_name);
    }

    private interface NameCall {
        int call(MemorySegment service, MemorySegment info, MemorySegment port);
    }

    private void name(String call, String service, String port, NameCall function) {
        instance.enter();
        try (Arena arena = Arena.ofConfined()) {
            int code = function.call(arena.allocateFrom(service), Info.NULL.handle(), arena.allocateFrom(port));
            instance.check(code, call, service);
        }
    }

    /**
     * The port that was published by a name: {@code MPI_Lookup_name}.
     *
     * @param service the name
     * @return the port, for {@link Communicator#connect}
     * @throws MpiException if there is no such name: its class is {@link ErrorClass#NAME}
     */
    public String lookupName(String service) {
        instance.enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment port = arena.allocate(mpi_abi_h.MPI_MAX_PORT_NAME());
            int code = mpi_abi_h.MPI_Lookup_name(arena.allocateFrom(service), Info.NULL.handle(), port);
            instance.check(code, "MPI_Lookup_name", service);
            return port.getString(0, StandardCharsets.UTF_8);
        }
    }

    /**
     * The processes that have {@linkplain Communicator#spawn spawned} this program: {@code MPI_Comm_get_parent}.
     *
     * @return the intercommunicator, or empty if a launcher has started it
     */
    public Optional<Communicator> parent() {
        return Optional.ofNullable(Communicator.get(
                instance, "MPI_Comm_get_parent", "", (arena, comm) -> mpi_abi_h.MPI_Comm_get_parent(comm)));
    }

    /**
     * Ends MPI: {@code MPI_Finalize}. All processes call it, and it may wait for them.
     *
     * @throws IllegalStateException if objects are open; their numbers are in the message, and you can try again
     */
    @Override
    public void close() {
        if (instance.isClosed()) {
            return;
        }
        instance.checkUnused();
        int code = mpi_abi_h.MPI_Finalize();
        if (code != 0) {
            throw Instance.failure(code, "MPI_Finalize", "");
        }
        instance.close();
    }

    @Override
    public String toString() {
        return "Mpi(" + instance.level + ")";
    }
}
