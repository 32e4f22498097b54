// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.mpi.MPI_User_function_c;
import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MutableCallSite;
import java.util.concurrent.atomic.AtomicInteger;

/** An operation of reductions: {@code MPI_Op}. Predefined ones are constants; a program adds its own with {@link #of}. */
public final class Operation extends MpiObject {

    /** {@code MPI_SUM}. */
    public static final Operation SUM = new Operation("SUM", 0x21);
    /** {@code MPI_MIN}. */
    public static final Operation MIN = new Operation("MIN", 0x22);
    /** {@code MPI_MAX}. */
    public static final Operation MAX = new Operation("MAX", 0x23);
    /** {@code MPI_PROD}. */
    public static final Operation PROD = new Operation("PROD", 0x24);
    /** {@code MPI_BAND}: and, bit by bit. */
    public static final Operation BAND = new Operation("BAND", 0x28);
    /** {@code MPI_BOR}: or, bit by bit. */
    public static final Operation BOR = new Operation("BOR", 0x29);
    /** {@code MPI_BXOR}: exclusive or, bit by bit. */
    public static final Operation BXOR = new Operation("BXOR", 0x2a);
    /** {@code MPI_LAND}: logical and. */
    public static final Operation LAND = new Operation("LAND", 0x30);
    /** {@code MPI_LOR}: logical or. */
    public static final Operation LOR = new Operation("LOR", 0x31);
    /** {@code MPI_LXOR}: logical exclusive or. */
    public static final Operation LXOR = new Operation("LXOR", 0x32);
    /** {@code MPI_MINLOC}: the minimum and where it is, of pairs such as {@link Datatype#DOUBLE_INT}. */
    public static final Operation MINLOC = new Operation("MINLOC", 0x38);
    /** {@code MPI_MAXLOC}: the maximum and where it is. */
    public static final Operation MAXLOC = new Operation("MAXLOC", 0x39);
    /** {@code MPI_REPLACE}: the new value, for one-sided operations. */
    public static final Operation REPLACE = new Operation("REPLACE", 0x3c);
    /** {@code MPI_NO_OP}: the old value, for one-sided operations. */
    public static final Operation NO_OP = new Operation("NO_OP", 0x3d);

    /** A reduction that the program defines. */
    @FunctionalInterface
    public interface Function {

        /**
         * Combines elements. It must be associative, and call nothing of MPI. What it throws is thrown again by the call of
         * MPI during which it ran; the result is then undefined.
         *
         * @param in the left operands; valid during the call
         * @param inOut the right operands, which the results replace; valid during the call
         * @param count how many elements
         */
        void apply(MemorySegment in, MemorySegment inOut, long count);
    }

    // A constant to the JIT, so that to ask costs nothing until there is the first function of the program.
    private static final MutableCallSite FUNCTIONS = new MutableCallSite(MethodHandles.constant(boolean.class, false));
    private static final MethodHandle HAS_FUNCTIONS = FUNCTIONS.dynamicInvoker();
    private static final ThreadLocal<Boolean> RUNNING = ThreadLocal.withInitial(() -> false);
    private static volatile int own; // how many there are that the program defines; guarded by the class

    private final String name;
    private final Datatype type; // null if it is predefined
    private final Arena stub; // of the upcall
    private final AtomicInteger uses = new AtomicInteger(); // by requests that have not completed

    private Operation(String name, long handle) {
        super(null, MemorySegment.ofAddress(handle), true);
        this.name = name;
        type = null;
        stub = null;
    }

    private Operation(Instance instance, MemorySegment handle, Datatype type, Arena stub) {
        super(instance, handle, false);
        name = "of " + type;
        this.type = type;
        this.stub = stub;
    }

    /**
     * Makes an operation: {@code MPI_Op_create_c}. MPI calls the function on the thread that calls MPI, during a reduction or
     * while a request is completed.
     *
     * @param type the elements that it takes, and no others
     * @param commutes whether the order of the operands does not matter: then MPI may choose it
     * @param function the reduction
     * @return the operation; close it after its last request has completed
     */
    public static Operation of(Datatype type, boolean commutes, Function function) {
        Instance instance = Instance.entered();
        Arena stub = Arena.ofShared();
        count(1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment upcall =
                    MPI_User_function_c.allocate(new Upcall(instance, type, type.span(1), function)::apply, stub);
            MemorySegment handle = arena.allocate(ADDRESS);
            instance.check(mpi_abi_h.MPI_Op_create_c(upcall, commutes ? 1 : 0, handle), "MPI_Op_create_c", type);
            return new Operation(instance, handle.get(ADDRESS, 0), type, stub);
        } catch (RuntimeException e) {
            count(-1);
            stub.close();
            throw e;
        }
    }

    private static synchronized void count(int more) {
        own += more;
        if (!hasFunctions()) {
            FUNCTIONS.setTarget(MethodHandles.constant(boolean.class, true));
            MutableCallSite.syncAll(new MutableCallSite[] {FUNCTIONS});
        }
    }

    /** Whether there has been a function of the program. */
    @HotPath
    static boolean hasFunctions() {
        try {
            return (boolean) HAS_FUNCTIONS.invokeExact();
        } catch (Throwable t) {
            throw new AssertionError("a constant does not throw", t);
        }
    }

    /** Whether a call of MPI can run a function of the program. */
    @HotPath
    static boolean canCallBack() {
        return hasFunctions() && own != 0;
    }

    /** Whether this thread runs such a function, and so is in a call of MPI. */
    static boolean isRunning() {
        return hasFunctions() && RUNNING.get();
    }

    private record Upcall(Instance instance, Datatype type, long one, Function function) {

        void apply(MemorySegment in, MemorySegment inOut, MemorySegment length, MemorySegment datatype) {
            boolean outer = RUNNING.get();
            RUNNING.set(true);
            try {
                long count = at(length, Long.BYTES).get(JAVA_LONG, 0);
                long bytes = count == 0 ? 0 : one + (count - 1) * type.extent();
                function.apply(at(in, bytes), at(inOut, bytes), count);
            } catch (Throwable t) {
                instance.caught(t);
            } finally {
                RUNNING.set(outer);
            }
        }

        @SuppressWarnings("restricted") // what the standard says that MPI hands over
        private static MemorySegment at(MemorySegment pointer, long bytes) {
            return pointer.reinterpret(bytes);
        }
    }

    /**
     * Whether the order of its operands does not matter: {@code MPI_Op_commutative}.
     *
     * @return true if MPI may choose the order
     */
    public boolean isCommutative() {
        Instance own = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flag = arena.allocate(JAVA_INT);
            own.check(mpi_abi_h.MPI_Op_commutative(handle(), flag), "MPI_Op_commutative", this);
            return flag.get(JAVA_INT, 0) != 0;
        }
    }

    /**
     * Combines two local buffers: {@code MPI_Reduce_local_c}.
     *
     * @param in the left operands
     * @param inOut the right operands, which the results replace
     */
    public void reduceLocal(Buffer in, Buffer inOut) {
        if (in.count != inOut.count || in.type != inOut.type) {
            throw new IllegalArgumentException(in + " and " + inOut + " have different counts or datatypes");
        }
        Instance.entered()
                .check(
                        mpi_abi_h.MPI_Reduce_local_c(
                                in.readable(),
                                inOut.writable(),
                                in.count,
                                in.type(),
                                MemorySegment.ofAddress(pointer(in.type))),
                        "MPI_Reduce_local_c",
                        this);
    }

    /** The handle, for elements of a type. */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    long pointer(Datatype elements) {
        if (type != null && type != elements) {
            throw new IllegalArgumentException(this + " does not take elements of " + elements);
        }
        return pointer();
    }

    /** A request with it begins. */
    @HotPath
    void begin() {
        if (stub != null) {
            uses.getAndIncrement();
        }
    }

    /** The request has completed. */
    @HotPath
    void end() {
        if (stub != null) {
            uses.getAndDecrement();
        }
    }

    /**
     * Frees it: {@code MPI_Op_free}.
     *
     * @throws IllegalStateException if requests with it have not completed: MPI would call the function later
     */
    @Override
    public void close() {
        if (uses.get() != 0) {
            throw new IllegalStateException(this + " cannot be closed yet: requests with it are active: " + uses);
        }
        free("MPI_Op_free", mpi_abi_h::MPI_Op_free);
        if (stub.scope().isAlive()) {
            stub.close();
            count(-1);
        }
    }

    @Override
    String kind() {
        return "Operation";
    }

    @Override
    public String toString() {
        return "Operation(" + name + ")";
    }
}
