// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How threads wait for a stream: they look for a while, and then sleep. One of those that sleep waits for the completion
 * channel, without the stream's lock, and handles what has come for all; the others wait for it. When it goes, one of them
 * follows. Selectors wait for the channel's descriptor: whoever takes an event of it tells all watchers. Guarded by the
 * stream's lock, which each caller holds.
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
    private Thread leader; // who waits for the channel; null when nobody does
    private int wanted; // what that one waits for
    private int followers;
    private boolean armed; // the queue sends an event for its next completion, or has sent it
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
     * @return false if the time was over
     */
    boolean await(int what, long deadline) throws InterruptedException {
        if (deadline == Deadlines.NEVER) {
            return stream.is(what);
        }
        if (look(what)) {
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

    /** Looks for a while. */
    private boolean look(int what) {
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
                left = changed.awaitNanos(left);
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
        CompletionQueue told = null;
        lock.unlock();
        try {
            told = channel.await(left == Deadlines.EVER ? FOREVER : Duration.ofNanos(left));
        } finally {
            lock.lock();
            leader = null;
            taken(told);
            changed();
            if (stream.isClosed()) {
                stream.leave(); // it waited for this thread to go
            }
        }
        stream.progress();
    }

    /** Has the channel tell of the next completion; returns false if it does already, and looks for others if not. */
    boolean arm() {
        if (armed) {
            return false;
        }
        completions.requestNotify(false);
        armed = true;
        stream.progress(); // what came before it was asked for
        return true;
    }

    /** Takes the event of the channel, if there is one. */
    void takeEvent() {
        taken(channel.poll());
    }

    private void taken(CompletionQueue told) {
        if (told != null) {
            armed = false;
            watchers.changed();
        }
    }

    /** Who else is told. */
    void watchedBy(Watchers all) {
        watchers = all;
    }

    /** Whether a thread waits for the channel. */
    boolean isLed() {
        return leader != null;
    }

    /** Something has changed: who waits looks again. */
    void changed() {
        if (followers > 0) {
            changed.signalAll();
        }
    }

    /** Something has changed that no completion tells of. */
    void wakeAll() {
        changed();
        watchers.changed();
        if (leader != null && stream.is(wanted)) {
            channel.wakeup();
        }
    }
}
