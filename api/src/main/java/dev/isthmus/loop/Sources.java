// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.WatchedDescriptors;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;

/** What a loop serves. Any thread may add and remove sources; the turning thread handles their events. */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Sources {

    /** The most descriptors that a turn looks at, and the most events of each that it handles. */
    static final int FAIR_SHARE = 64;

    private final WatchedDescriptors descriptors;
    private final BooleanSupplier stopped;
    private volatile Entry[] entries = {}; // by index; null where one was removed
    private int generation; // of the next entry, so that an event of one that was removed reaches no other
    private volatile Polled[] polled = {};

    /** Sources that have events which their descriptors do not report. */
    private final Queue<Entry> pending = new ConcurrentLinkedQueue<>();

    private final long[] ready = new long[FAIR_SHARE]; // used by the turning thread only, like the next fields
    private int first; // of the polled sources; it rotates, so that one that throws cannot keep the others out

    Sources(WatchedDescriptors descriptors, BooleanSupplier stopped) {
        this.descriptors = descriptors;
        this.stopped = stopped;
    }

    /** A source that is served. */
    private final class Entry implements Registration {

        private final int fd;
        private final ToIntFunction<BooleanSupplier> handle; // handles events until told to stop
        private final Polled polledOne; // null if this has a handler
        private final EventSource own; // if it is an object of this library; else null
        private final Lifetime hold; // keeps that object open; else null
        private final Runnable onWakeup = this::addPending;
        private volatile long
                number; // generation and index; -1 once it is removed; written under the lock of Sources.this

        Entry(String what, int fd, ToIntFunction<BooleanSupplier> handle, Polled polledOne, EventSource own) {
            this.fd = fd;
            this.handle = handle;
            this.polledOne = polledOne;
            this.own = own;
            this.hold = own == null ? null : new Lifetime("EventLoop", what, own.lifetime());
        }

        /** Handles some of its events. The handler may remove the source, and close it. */
        int handle() {
            return handle.applyAsInt(() -> number < 0 || stopped.getAsBoolean());
        }

        private void addPending() {
            pending.add(this);
            descriptors.wakeup();
        }

        void open() {
            if (own == null) {
                insert(this);
                return;
            }
            hold.open(() -> {
                own.watchers().add(onWakeup);
                try {
                    insert(this);
                } catch (RuntimeException e) {
                    own.watchers().remove(onWakeup);
                    throw e;
                }
                return null;
            });
        }

        @Override
        public void close() {
            if (remove(this)) {
                release();
            }
        }

        void release() {
            if (own != null) {
                own.watchers().remove(onWakeup);
                hold.close(() -> {});
            }
        }
    }

    /** Serves a source that handles events when its descriptor is readable. */
    Registration add(String what, int fd, ToIntFunction<BooleanSupplier> handle, EventSource own) {
        var entry = new Entry(what, fd, handle, null, own);
        entry.open();
        return entry;
    }

    /** Serves a source that is polled on each turn. */
    Registration add(Polled source) {
        var entry = new Entry("Polled", source.fileDescriptor(), over -> 0, source, null);
        entry.open();
        return entry;
    }

    private synchronized void insert(Entry entry) {
        Entry[] all = entries;
        int index = 0;
        while (index < all.length && all[index] != null) {
            index++;
        }
        Entry[] more = index < all.length ? all : Arrays.copyOf(all, Math.max(8, 2 * all.length));
        generation = generation + 1 & Integer.MAX_VALUE;
        entry.number = (long) generation << Integer.SIZE | index;
        more[index] = entry; // first, as the turning thread may see the descriptor at once
        entries = more;
        boolean added = false;
        try {
            descriptors.add(entry.fd, entry.number);
            added = true;
        } finally {
            if (!added) {
                more[index] = null;
            }
        }
        if (entry.polledOne != null) {
            Polled[] longer = Arrays.copyOf(polled, polled.length + 1);
            longer[polled.length] = entry.polledOne;
            polled = longer;
            descriptors.wakeup(); // it must be armed before the thread sleeps
        }
    }

    private synchronized boolean remove(Entry entry) {
        if (entry.number < 0) {
            return false;
        }
        descriptors.remove(entry.fd);
        entries[(int) entry.number] = null;
        entry.number = -1;
        if (entry.polledOne != null) {
            polled = Arrays.stream(polled)
                    .filter(each -> each != entry.polledOne)
                    .toArray(Polled[]::new);
        }
        return true;
    }

    /** Releases everything, as the loop is closed. */
    void release() {
        Entry[] left;
        synchronized (this) {
            left = entries;
            entries = new Entry[0];
            polled = new Polled[0];
            for (Entry entry : left) {
                if (entry != null) {
                    entry.number = -1;
                }
            }
        }
        for (Entry entry : left) {
            if (entry != null) {
                entry.release();
            }
        }
    }

    boolean anyPolled() {
        return polled.length > 0;
    }

    /** Polls the polled sources; returns whether there was anything. */
    boolean poll() {
        Polled[] all = polled;
        boolean any = false;
        first = first + 1 < all.length ? first + 1 : 0;
        for (int i = 0; i < all.length && all == polled && !stopped.getAsBoolean(); i++) {
            int at = first + i;
            any |= all[at < all.length ? at : at - all.length].poll();
        }
        return any || all != polled; // an added or removed source counts, too
    }

    /**
     * Arms all sources; returns whether the thread may sleep, as far as they are concerned. From now on, new events end
     * the sleep.
     */
    boolean arm() {
        for (Polled each : polled) {
            if (!each.arm()) {
                return false;
            }
        }
        return pending.isEmpty();
    }

    /** The longest time that the thread may sleep, in nanoseconds. */
    long longestSleep(long nanos) {
        long most = nanos;
        for (Polled each : polled) {
            most = Math.min(most, EventLoop.nanos(each.longestSleep(EventLoop.duration(most))));
        }
        return most;
    }

    /**
     * Handles some events of the sources with readable descriptors; returns whether there were any. A handler that
     * throws does not keep the other sources from their events: the exception leaves here after that.
     */
    boolean handleReady() {
        int count = descriptors.ready(ready);
        boolean any = false;
        Throwable thrown = null;
        for (int i = 0; i < count; i++) {
            Entry entry = find(ready[i]);
            try {
                any |= entry != null && entry.handle() > 0; // any events left are ready at the next turn, too
            } catch (RuntimeException | Error t) {
                thrown = both(thrown, t);
            }
        }
        for (int i = 0; i < FAIR_SHARE; i++) {
            Entry entry = pending.poll();
            if (entry == null) {
                break;
            }
            try {
                any |= handlePending(entry);
            } catch (RuntimeException | Error t) {
                thrown = both(thrown, t);
            }
        }
        if (thrown != null) {
            throw EventLoop.unchecked(thrown);
        }
        return any;
    }

    /** The entry with a number, unless it was removed: its index may be another's by now, its generation is not. */
    private Entry find(long number) {
        Entry[] all = entries;
        int index = (int) number;
        Entry entry = index < all.length ? all[index] : null;
        return entry != null && entry.number == number ? entry : null;
    }

    private boolean handlePending(Entry entry) {
        if (entry.number < 0) {
            return false; // removed since, and perhaps closed
        }
        boolean all = false;
        try {
            int handled = entry.handle();
            all = handled < FAIR_SHARE;
            return handled > 0;
        } finally {
            if (!all) { // more than one turn handles, or the handler has thrown: behind the others
                pending.add(entry);
            }
        }
    }

    private static Throwable both(Throwable first, Throwable second) {
        if (first == null) {
            return second;
        }
        if (first != second) {
            first.addSuppressed(second);
        }
        return first;
    }
}
