// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** One initialisation of MPI, by {@link Mpi} or {@link Session}: who may call, and which objects are open. */
final class Instance {

    private static final List<Instance> OPEN = new ArrayList<>(); // guarded by itself
    private static volatile Instance first; // of these, or null

    final ThreadLevel level;
    final Thread owner; // the only thread that may call, or null
    private final String name;
    private final Set<MpiObject> objects = Collections.newSetFromMap(new IdentityHashMap<>()); // guarded by itself
    private volatile boolean closed;
    private Throwable thrown; // by an upcall, for the call that made it

    Instance(String name, ThreadLevel level) {
        this.name = name;
        this.level = level;
        owner = level.compareTo(ThreadLevel.FUNNELED) <= 0 ? Thread.currentThread() : null;
        opened(this);
    }

    private static void opened(Instance instance) {
        synchronized (OPEN) {
            OPEN.add(instance);
            first = OPEN.getFirst();
        }
    }

    /** The one that objects of the whole process, such as datatypes, belong to: the oldest that is open. */
    @HotPath
    static Instance any() {
        Instance any = first;
        if (any == null) {
            throw new IllegalStateException("MPI is not initialised: Mpi.init() or Session.init() comes first");
        }
        return any;
    }

    /** The same, for a call that is about to be made; what is predefined belongs to no other. */
    @HotPath
    static Instance entered() {
        Instance any = any();
        any.enter();
        return any;
    }

    /** Checks that the calling thread may call MPI now. */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    void enter() {
        if ((owner != null && owner != Thread.currentThread()) || closed) {
            refuse();
        }
    }

    private void refuse() {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
        throw new WrongThreadException(name + " has thread level " + level + ": only thread " + owner.getName()
                + " may call MPI, not " + Thread.currentThread().getName());
    }

    void add(MpiObject object) {
        synchronized (objects) {
            objects.add(object);
        }
    }

    void remove(MpiObject object) {
        synchronized (objects) {
            objects.remove(object);
        }
    }

    /** Before it is finalized: refuses if objects are open, of which requests that are not active do not count. */
    void checkUnused() {
        enter();
        var kinds = new TreeMap<String, Integer>();
        synchronized (objects) {
            for (MpiObject object : objects) {
                if (!(object instanceof Request request) || request.isActive()) {
                    kinds.merge(object.kind(), 1, Integer::sum);
                }
            }
        }
        if (!kinds.isEmpty()) {
            throw new IllegalStateException(name + " cannot be closed while objects of it are open: " + kinds);
        }
        List<MpiObject> requests;
        synchronized (objects) {
            requests = List.copyOf(objects);
        }
        requests.forEach(MpiObject::close);
    }

    void close() {
        closed = true;
        synchronized (OPEN) {
            OPEN.remove(this);
            first = OPEN.isEmpty() ? null : OPEN.getFirst();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Keeps what an upcall has thrown for the thread that called MPI. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    void caught(Throwable t) {
        if (thrown == null) {
            thrown = t;
        } else if (thrown != t) {
            thrown.addSuppressed(t);
        }
    }

    /** Checks what a call has returned. */
    @HotPath
    void check(int code, String call, Object object) {
        if (code != 0 || (Operation.hasFunctions() && thrown != null)) {
            fail(code, call, object);
        }
    }

    private void fail(int code, String call, Object object) {
        Throwable t = thrown;
        thrown = null;
        if (t == null) {
            throw failure(code, call, object);
        }
        throw new IllegalStateException(call + "(" + object + "): a callback of the program threw " + t, t);
    }

    /** The exception for an error code. */
    static MpiException failure(int code, String call, Object object) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_ERROR_STRING());
            int errorClass = mpi_abi_h.MPI_Error_class(code, number) == 0 ? number.get(JAVA_INT, 0) : -1;
            String said = mpi_abi_h.MPI_Error_string(code, text, number) == 0
                    ? text.getString(0, StandardCharsets.UTF_8).replaceAll("\\s+", " ")
                    : "";
            return new MpiException(call, object, code, ErrorClass.of(errorClass), errorClass, said);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
