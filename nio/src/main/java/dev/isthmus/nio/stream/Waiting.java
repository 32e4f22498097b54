// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How threads wait for a stream: they poll for a while, and then sleep. Of those that sleep, one is the leader: it
 * waits for the completion channel, without the stream's lock, and handles completions for all. The others wait for the
 * leader; when it stops, one of them becomes the leader. Selectors wait for the channel's descriptor, and whoever
 * takes an event from the channel notifies all watchers. Guarded by the stream's lock, which each caller holds.
 */
final class Waiting {

    /** For something to read, or the end. */
    static final int READABLE = 0;

    /** For room to write. */
    static final int WRITABLE = 1;

    /** Until no other thread waits for room to write. */
    static final int FIRST_WRITER = 2;

    /** For room for a control message. */
    static final int CONTROL = 3;

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final Stream stream;
    private final ReentrantLock lock;
    private final Condition changed;
    private final CompletionQueue completions;
    private final CompletionChannel channel;
    private final long pollingNanos;
    private Thread leader; // the thread that waits for the channel; null if none does
    private int wanted; // what the leader waits for
    private int followers;
    private boolean armed; // the queue will send an event for its next completion, or has sent it
    private Watchers watchers = new Watchers();

    Waiting(
            Stream stream,
            ReentrantLock lock,
            CompletionQueue completions,
            CompletionChannel channel,
            StreamOptions options) {
        this.stream = stream;
        this.lock = lock;
        this.changed = lock.newCondition();
        this.completions = completions;
        this.channel = channel;
        this.pollingNanos = TimeUnit.MICROSECONDS.toNanos(options.polling());
    }

    /**
     * Waits for something.
     *
     * @return false if the time is up
     */
    boolean await(int what, long deadline) throws InterruptedException {
        if (deadline == Deadlines.NEVER) {
            return stream.is(what);
        }
        if (pollFor(what)) {
            return true;
        }
        while (!stream.is(what)) {
            long left = deadline == Deadlines.EVER ? Deadlines.EVER : deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            if (leader == null) {
                lead(what, left);
            } else {
                follow(what, left);
            }
        }
        return true;
    }

    /** Polls for a while. */
    private boolean pollFor(int what) {
        long begin = System.nanoTime();
        do {
            stream.progress();
            if (stream.is(what)) {
                return true;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - begin < pollingNanos);
        return false;
    }

    private void follow(int what, long nanos) throws InterruptedException {
        followers++;
        try {
            long left = nanos;
            while (leader != null && left > 0 && !stream.is(what)) {
                if (left == Deadlines.EVER) {
                    changed.await();
                } else {
                    left = changed.awaitNanos(left);
                }
            }
        } finally {
            followers--;
        }
    }

    private void lead(int what, long left) throws InterruptedException {
        if (arm() && stream.is(what)) {
            return;
        }
        leader = Thread.currentThread();
        wanted = what;
        CompletionQueue notified = null;
        lock.unlock();
        try {
            notified = channel.await(left == Deadlines.EVER ? FOREVER : Duration.ofNanos(left));
        } finally {
            lock.lock();
            leader = null;
            taken(notified);
            changed();
            if (stream.isClosed()) {
                stream.continueClose(); // the close waited for this thread
            }
        }
        stream.progress();
    }

    /**
     * Arms the channel for the next completion, and then handles completions that came before. Returns false if it was
     * armed already.
     */
    boolean arm() {
        if (armed) {
            return false;
        }
        completions.requestNotify(false);
        armed = true;
        stream.progress(); // handles completions from before it was armed
        return true;
    }

    /** Takes the channel's event, if there is one. A leader that slept when its channel became non-blocking gets none. */
    void takeEvent() {
        CompletionQueue notified = channel.poll();
        taken(notified);
        if (notified != null && leader != null) {
            channel.wakeup();
        }
    }

    private void taken(CompletionQueue notified) {
        if (notified != null) {
            armed = false;
            watchers.changed();
        }
    }

    /** Sets the watchers that are notified, too. */
    void watchedBy(Watchers all) {
        watchers = all;
    }

    /** Whether a thread waits for the channel. */
    boolean isLed() {
        return leader != null;
    }

    String state() {
        return (armed ? "armed, " : "not armed, ")
                + (leader == null ? "no leader" : leader + " leads and waits for " + wanted)
                + (followers > 0 ? ", followers: " + followers : "");
    }

    /** Something has changed: threads that wait look again. */
    void changed() {
        if (followers > 0) {
            changed.signalAll();
        }
    }

    /** Something has changed that no completion reports. */
    void wakeAll() {
        changed();
        watchers.changed();
        if (leader != null && stream.is(wanted)) {
            channel.wakeup();
        }
    }
}
