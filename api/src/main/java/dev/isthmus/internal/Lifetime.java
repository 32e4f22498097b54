// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The life of one native object: open, then closed, and used by C only while it is open.
 *
 * <p>An object holds its parents open. It cannot be closed while children hold it, or while a call on it runs on
 * another thread: the close is refused, and you can try again. Thread-safe; the lock is never held during a call into
 * C. The data path does not come here: see {@link OwnerThread}.
 */
public final class Lifetime {

    private enum State {
        OPEN,
        CLOSING,
        CLOSED
    }

    private final String kind;
    private final String name;
    private final Lifetime[] parents;
    private final Map<String, Integer> children = new TreeMap<>();
    private State state = State.OPEN;
    private int calls;
    private Runnable closeTraced; // of a close that takes a while; used by the closing thread only

    /**
     * Begins a life, which holds its parents open until it is closed or abandoned.
     *
     * @param kind the class of the object, for messages
     * @param name distinguishes it from others of its kind, for example by its device
     * @param parents the objects that it needs, none of which may be closed
     * @throws IllegalStateException if a parent is closed
     */
    public Lifetime(String kind, String name, Lifetime... parents) {
        this.kind = kind;
        this.name = name;
        this.parents = parents.clone();
        int held = 0;
        try {
            for (; held < parents.length; held++) {
                parents[held].hold(kind);
            }
        } catch (IllegalStateException e) {
            while (held-- > 0) {
                parents[held].release(kind);
            }
            throw e;
        }
    }

    /**
     * Creates the native object. If that fails, this life ends and its parents are released.
     *
     * @param create creates it, or throws
     * @return what {@code create} returned
     */
    public <T> T open(Supplier<T> create) {
        boolean made = false;
        Runnable told = Trace.opening(kind, name);
        try {
            T result = create.get();
            made = true;
            told.run();
            return result;
        } finally {
            if (!made) {
                end(() -> {});
            }
        }
    }

    /**
     * Creates the Java object for a native one. If that fails, destroys the native object, as nothing else could. Call
     * it where the native object is created, within {@link #open}.
     *
     * @param represent creates the Java object, or throws
     * @param destroy destroys the native object
     * @return what {@code represent} returned
     */
    public static <T> T orDestroy(Supplier<T> represent, Runnable destroy) {
        try {
            return represent.get();
        } catch (Throwable t) {
            try {
                destroy.run();
            } catch (RuntimeException e) {
                t.addSuppressed(e);
            }
            throw t;
        }
    }

    /** Begins a call on the object: it stays open until {@link #endCall()}. */
    synchronized void beginCall() {
        check();
        calls++;
    }

    synchronized void endCall() {
        calls--;
    }

    /**
     * Checks that the object is open.
     *
     * @throws IllegalStateException if it is closed
     */
    public synchronized void check() {
        if (state != State.OPEN) {
            throw new IllegalStateException(this + (state == State.CLOSED ? " is closed" : " is being closed"));
        }
    }

    /** Whether it is open. */
    public synchronized boolean isOpen() {
        return state == State.OPEN;
    }

    /**
     * Ends the life: destroys the native object and releases the parents. Does nothing if it has ended already. If
     * {@code destroy} throws, the object stays open.
     *
     * @param destroy destroys the native object, or throws
     * @throws IllegalStateException if children hold it, or a call on it is running
     */
    public void close(Runnable destroy) {
        Runnable told = Trace.closing(kind, name);
        if (end(destroy)) {
            told.run();
        }
    }

    private boolean end(Runnable destroy) {
        if (!mayClose()) {
            return false;
        }
        boolean destroyed = false;
        try {
            destroy.run();
            destroyed = true;
        } finally {
            endClose(destroyed);
        }
        releaseParents();
        return true;
    }

    private void releaseParents() {
        for (Lifetime parent : parents) {
            parent.release(kind);
        }
    }

    /**
     * Begins a close that takes a while: from now on, the object is not open, and {@link #endClose()} ends its life.
     *
     * @throws IllegalStateException if it is closed, children hold it, or a call on it is running
     */
    public void beginClose() {
        Runnable told = Trace.closing(kind, name);
        if (!mayClose()) {
            check();
        }
        closeTraced = told;
    }

    private synchronized boolean mayClose() {
        if (state == State.CLOSED) {
            return false;
        }
        checkClosable();
        state = State.CLOSING;
        return true;
    }

    /**
     * Checks that a close would not be refused now.
     *
     * @throws IllegalStateException if it is closed, children hold it, or a call on it is running
     */
    public synchronized void checkClosable() {
        check();
        if (!children.isEmpty()) {
            throw new IllegalStateException(this + " cannot be closed yet: close first its " + describeChildren());
        }
        if (calls > 0) {
            throw new IllegalStateException(this + " cannot be closed yet: another thread is in a call on it");
        }
    }

    /** Ends a life, whose close was begun by the same thread. */
    public void endClose() {
        endClose(true);
        releaseParents();
        closeTraced.run();
    }

    private synchronized void endClose(boolean destroyed) {
        state = destroyed ? State.CLOSED : State.OPEN;
    }

    private synchronized void hold(String childKind) {
        check();
        children.merge(childKind, 1, Integer::sum);
    }

    private synchronized void release(String childKind) {
        children.computeIfPresent(childKind, (k, n) -> n == 1 ? null : n - 1);
    }

    private String describeChildren() {
        var list = new StringJoiner(", ");
        children.forEach((childKind, n) -> list.add(n + " " + childKind));
        return list.toString();
    }

    /** The object as it appears in error messages, such as {@code CompletionQueue(rxe0, 128 entries)}. */
    @Override
    public String toString() {
        return kind + "(" + name + ")";
    }

    /** What distinguishes the object from others of its kind. */
    public String name() {
        return name;
    }
}
