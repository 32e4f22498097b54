package dev.isthmus.internal;

import java.util.Objects;

/**
 * Confines an object's data path to one thread at a time, so that one plain field test tells both that the caller
 * is the owner and that the object is open: a closed object has no owner. Without it a close on one thread could
 * free what C is reading on another.
 */
@SuppressWarnings("ReferenceEquality") // the same thread is meant, and one comparison is all that the data path pays
public final class OwnerThread {

    private final Lifetime lifetime;
    private Thread owner = Thread.currentThread(); // null once closed

    /** Confines to the calling thread. */
    public OwnerThread(Lifetime lifetime) {
        this.lifetime = lifetime;
    }

    /**
     * Checks that the caller may use the object.
     *
     * @throws IllegalStateException if the object is closed
     * @throws WrongThreadException if the object belongs to another thread
     */
    @HotPath
    public void check() {
        if (Thread.currentThread() != owner) {
            adoptOrRefuse();
        }
    }

    /** Whether the caller is the owner. */
    public boolean isCurrent() {
        return Thread.currentThread() == owner;
    }

    /** The owner gives the object to another thread; the caller makes that thread see it, as with any object. */
    public void handOver(Thread next) {
        Objects.requireNonNull(next, "next");
        check();
        owner = next;
    }

    /** Ends the life of the object, on the owner's thread. */
    public void close(Runnable destroy) {
        if (owner == null) {
            return;
        }
        check();
        lifetime.close(destroy);
        owner = null;
    }

    // Off the hot path. The object of a thread that has ended belongs to whoever comes, or it could never be closed.
    private void adoptOrRefuse() {
        Thread holder = owner;
        if (holder == null) {
            lifetime.check();
            throw new IllegalStateException(lifetime + " is closed");
        }
        if (holder.isAlive() || holder.getState() == Thread.State.NEW) {
            throw new WrongThreadException(lifetime + " belongs to thread " + holder.getName() + ", not to "
                    + Thread.currentThread().getName() + ": its owner must hand it over first");
        }
        synchronized (this) {
            if (owner == holder) {
                owner = Thread.currentThread();
            }
        }
        check();
    }
}
