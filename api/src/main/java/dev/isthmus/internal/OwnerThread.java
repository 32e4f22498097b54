// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Confines an object's data path to one thread at a time, so that one plain field test tells both that the caller
 * is the owner and that the object is open: a closed object has no owner. Without it a close on one thread could
 * free what C is reading on another.
 */
@SuppressWarnings("ReferenceEquality") // the same thread is meant
public final class OwnerThread {

    private final Object owned; // for messages
    private final Lifetime lifetime; // null of what is never closed
    private final boolean forGood; // C knows the thread, and no other may follow it
    private Thread owner; // null once closed
    private long ownerId; // its number, which no other thread ever has; 0, which none has, once closed
    private ReentrantLock lock; // whoever holds it becomes the owner by using the object; null if that is not so

    /** Confines to the calling thread. */
    public OwnerThread(Lifetime lifetime) {
        this(lifetime, lifetime, false);
    }

    /** Confines to the calling thread, and for good if nobody may have the object after that thread has ended. */
    public OwnerThread(Lifetime lifetime, boolean forGood) {
        this(lifetime, lifetime, forGood);
    }

    /**
     * Confines one part of an object that several threads may have a part of to the calling thread.
     *
     * @param part for messages
     * @param lifetime the object's
     */
    public OwnerThread(String part, Lifetime lifetime) {
        this(part, lifetime, false);
    }

    /** Confines what is never closed, such as a request, to the calling thread. */
    public OwnerThread(Object owned) {
        this(owned, null, false);
    }

    private OwnerThread(Object owned, Lifetime lifetime, boolean forGood) {
        this.owned = owned;
        this.lifetime = lifetime;
        this.forGood = forGood;
        belongTo(Thread.currentThread());
    }

    private void belongTo(Thread thread) {
        owner = thread;
        ownerId = thread.threadId();
    }

    /** The caller's number. It is what is compared: a reference to a thread would be decoded first. */
    @HotPath
    public static long callerId() {
        return Thread.currentThread().threadId();
    }

    /** Whether a number is not the caller's. By XOR: for a branch that it saw never taken the JIT keeps one value, not two. */
    @HotPath
    public static boolean isOther(long id) {
        return (callerId() ^ id) != 0;
    }

    /**
     * Checks that the caller may use the object.
     *
     * @throws IllegalStateException if the object is closed
     * @throws WrongThreadException if the object belongs to another thread
     */
    @HotPath
    public void check() {
        if (isOther(ownerId)) {
            adoptOrRefuse();
        }
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        return owner == null;
    }

    /** Whether the caller is the owner. */
    public boolean isCurrent() {
        return callerId() == ownerId;
    }

    /** The owner gives the object to another thread; the caller makes that thread see it, as with any object. */
    public void handOver(Thread next) {
        Objects.requireNonNull(next, "next");
        check();
        lock = null;
        belongTo(next);
    }

    /**
     * The owner gives the object to whoever holds a lock. The owner that a thread has become by using it stays that until
     * another thread uses it with the lock: to ask for the lock at each use would cost as much as what is asked now.
     */
    public void shareUnder(ReentrantLock next) {
        Objects.requireNonNull(next, "next");
        check();
        lock = next;
    }

    /** Ends the life of the object, on the owner's thread. */
    public void close(Runnable destroy) {
        if (owner == null) {
            return;
        }
        check();
        lifetime.close(destroy);
        owner = null;
        ownerId = 0;
    }

    /** Ends the life of an object that has two owners, both of which the caller must be. */
    public void close(OwnerThread other, Runnable destroy) {
        if (owner == null) {
            return;
        }
        other.check();
        close(destroy);
        other.owner = null;
        other.ownerId = 0;
    }

    // Off the hot path. The object of a thread that has ended belongs to whoever comes, or it could never be closed.
    private void adoptOrRefuse() {
        Thread holder = owner;
        if (holder == null) {
            lifetime.check();
            throw new IllegalStateException(lifetime + " is closed");
        }
        if (lock != null) {
            if (!lock.isHeldByCurrentThread()) {
                throw new WrongThreadException(owned + " belongs to whoever holds its lock, and "
                        + Thread.currentThread().getName() + " does not: lock it first");
            }
            belongTo(Thread.currentThread());
            return;
        }
        if (holder.isAlive() || holder.getState() == Thread.State.NEW) {
            throw new WrongThreadException(owned + " belongs to thread " + holder.getName() + ", not to "
                    + Thread.currentThread().getName() + ": its owner must hand it over first");
        }
        if (forGood) {
            throw new WrongThreadException(owned + " was made for thread " + holder.getName() + " only, which has"
                    + " ended: close it on its thread; now it stays until the process ends");
        }
        synchronized (this) {
            if (owner == holder) {
                belongTo(Thread.currentThread());
            }
        }
        check();
    }
}
