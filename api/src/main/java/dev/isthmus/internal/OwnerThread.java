// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Confines an object's data path to one thread at a time. A closed object has no owner, so one check of a plain field
 * shows both that the caller is the owner and that the object is open. Without it, a close on one thread could free
 * what C is reading on another.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class OwnerThread {

    private final Object owned; // for messages
    private final Lifetime lifetime; // null if the object is never closed
    private final boolean forGood; // C knows the thread, so no other may become the owner
    private Thread owner; // null once closed
    private long ownerId; // its id, which no other thread ever has; once closed 0, which no thread has
    private String suspended; // why not even the owner may use it now; null if it may
    private ReentrantLock lock; // if not null, whichever thread holds it becomes the owner by using the object

    /** Confines an object to the calling thread. */
    public OwnerThread(Lifetime lifetime) {
        this(lifetime, lifetime, false);
    }

    /**
     * Confines an object to the calling thread; for good if no other thread may own it even after that thread
     * has ended.
     */
    public OwnerThread(Lifetime lifetime, boolean forGood) {
        this(lifetime, lifetime, forGood);
    }

    /**
     * Confines a part of an object to the calling thread; other threads may own other parts.
     *
     * @param part for messages
     * @param lifetime the object's
     */
    public OwnerThread(String part, Lifetime lifetime) {
        this(part, lifetime, false);
    }

    /** Confines an object that is never closed, such as a request, to the calling thread. */
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

    /** The caller's thread id, compared instead of a reference: docs/instructions.md, "Lines written for the JIT". */
    @HotPath
    public static long callerId() {
        return Thread.currentThread().threadId();
    }

    /** Whether an id is not the caller's. By XOR, for the JIT: docs/instructions.md, "Lines written for the JIT". */
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

    /** Checks that the caller may read what the object has lent, which it may do while the use is suspended. */
    @HotPath
    public void checkReading() {
        if (isOther(ownerId) && !(suspended != null && owner == Thread.currentThread())) {
            adoptOrRefuse();
        }
    }

    /**
     * Refuses even the owner the use of the object until {@link #resume}, at no cost for checks that come later. Called
     * by the owner.
     *
     * @param why for the message, such as "inside a callback"
     */
    public void suspend(String why) {
        suspended = why;
        ownerId = 0;
    }

    /** Ends a suspension. */
    public void resume() {
        suspended = null;
        belongTo(owner);
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        return owner == null;
    }

    /** Whether no other thread may ever become the owner. */
    public boolean isForGood() {
        return forGood;
    }

    /** Whether the caller is the owner. */
    public boolean isCurrent() {
        return callerId() == ownerId;
    }

    /** Gives the object to another thread. The caller must publish it safely to that thread, like any object. */
    public void handOver(Thread next) {
        Objects.requireNonNull(next, "next");
        check();
        lock = null;
        belongTo(next);
    }

    /**
     * Gives the object to whichever thread holds a lock. A thread that has become the owner by using it stays the
     * owner until another thread uses it with the lock, so that each use compares a number and need not ask the lock.
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

    /** Ends the life of an object with two owners; the caller must be both. */
    public void close(OwnerThread other, Runnable destroy) {
        if (owner == null) {
            return;
        }
        other.check();
        close(destroy);
        other.owner = null;
        other.ownerId = 0;
    }

    // Off the hot path. If the owner has ended, the next thread becomes the owner; otherwise nobody could close
    // the object.
    private void adoptOrRefuse() {
        Thread holder = owner;
        if (holder == null) {
            lifetime.check();
            throw new IllegalStateException(lifetime + " is closed");
        }
        if (suspended != null && holder == Thread.currentThread()) {
            throw new IllegalStateException(owned + " cannot be used " + suspended);
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
