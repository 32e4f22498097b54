// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.RdmaException;
import dev.isthmus.loop.Epoll;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tells which of many sockets over RDMA can be read, written, connected or accepted from: a {@link Selector} that waits by
 * {@code epoll} for the completion channels of connections. It does as the JDK's does; what it costs depends on how many
 * channels are ready, not on how many are registered. A select that need not sleep, a read and a write allocate nothing.
 *
 * <p>A select first looks at the channels that had something lately, for as long as the system property {@code
 * isthmus.nio.selectPolling} says, 10 microseconds by default, and then sleeps. 0 sleeps at once, more spends the processor's
 * time on a shorter delay.
 *
 * <p>It takes channels of the JDK, too, such as those over TCP, datagram channels and pipes, if the JVM was started with {@code
 * --add-exports java.base/sun.nio.ch=ALL-UNNAMED}, or {@code =dev.isthmus.nio} on the module path; without it their registration
 * throws an {@link UnsupportedOperationException}.
 *
 * <p>What {@link Selector} says of threads holds. It owns two file descriptors, until it is closed; channels belong to who
 * opened them.
 */
public final class RdmaSelector extends AbstractSelector {

    private static final long POLLING_NANOS =
            TimeUnit.MICROSECONDS.toNanos(Math.max(0, Integer.getInteger("isthmus.nio.selectPolling", 10)));

    /** How many descriptors are looked at in one turn. */
    private static final int AT_A_TIME = 256;

    /** Of so many turns in which there is something without it, one looks at descriptors. */
    private static final int LOOK_AT_DESCRIPTORS = 16;

    /** A channel that had nothing for so many turns waits for an event. */
    private static final int MOST_IDLE = 64;

    private final Epoll epoll = Epoll.open(AT_A_TIME);
    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> seenKeys = Collections.unmodifiableSet(keys);
    private final SelectedKeys selected = new SelectedKeys();

    /** Keys whose channels may have changed: a stack. */
    private final AtomicReference<RdmaSelectionKey> told = new AtomicReference<>();

    private final AtomicBoolean asleep = new AtomicBoolean(); // or just going to be; who sets it to false wakes it
    private volatile boolean woken; // by the program, and no select has ended for it yet

    // Guarded by the monitor of this, as all below.
    private RdmaSelectionKey[] hot = new RdmaSelectionKey[16]; // those that are asked on each look
    private int hotCount;
    private final WatchedKeys watched = new WatchedKeys();
    private boolean hasForeign; // channels, of which descriptors alone tell; or has had
    private int turns;
    private int updated; // by the select that is under way

    private RdmaSelector(SelectorProvider provider) {
        super(provider);
    }

    /**
     * Opens a selector.
     *
     * @return the selector, which the caller closes
     * @throws IOException if the process has too many open files
     */
    public static RdmaSelector open() throws IOException {
        return open(RdmaSelectorProvider.shared());
    }

    /** Opens one of a provider. */
    static RdmaSelector open(SelectorProvider provider) throws IOException {
        try {
            return new RdmaSelector(provider);
        } catch (RdmaException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
        var key = new RdmaSelectionKey(this, channel, selectable(channel));
        key.attach(attachment);
        key.interestOps(operations);
        keys.add(key);
        key.selectable().watchers().add(key);
        if (!isOpen()) { // and may have missed it
            key.selectable().watchers().remove(key);
            keys.remove(key);
            throw new ClosedSelectorException();
        }
        return key;
    }

    private static Selectable selectable(AbstractSelectableChannel channel) {
        return switch (channel) {
            case RdmaSocketChannel socket -> socket.selectable();
            case RdmaServerSocketChannel server -> server.selectable();
            case SwitchedSocketChannel socket -> socket.selectable();
            case SwitchedServerSocketChannel server -> server.selectable();
            default -> new JdkChannel(channel);
        };
    }

    @Override
    public Set<SelectionKey> keys() {
        checkOpen();
        return seenKeys;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        checkOpen();
        return selected;
    }

    private void checkOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }

    @Override
    public int selectNow() throws IOException {
        return selectFor(0);
    }

    @Override
    public int select() throws IOException {
        return selectFor(-1);
    }

    @Override
    public int select(long timeout) throws IOException {
        if (timeout < 0) {
            throw new IllegalArgumentException("a timeout cannot be negative: " + timeout);
        }
        return selectFor(timeout == 0 ? -1 : timeout);
    }

    /** Selects; 0 milliseconds do not wait, -1 are as long as it takes. */
    private int selectFor(long millis) throws IOException {
        synchronized (this) {
            checkOpen();
            synchronized (selected) {
                dropCancelled();
                updated = 0;
                turns++;
                boolean any = look(false);
                if (any || millis == 0 || woken) {
                    if (!any || hasForeign || turns % LOOK_AT_DESCRIPTORS == 0) {
                        lookAtDescriptors(0);
                    }
                } else {
                    await(millis);
                }
                if (woken) {
                    woken = false;
                }
                dropCancelled();
                return updated;
            }
        }
    }

    private void await(long millis) throws IOException {
        long begin = System.nanoTime();
        boolean ends = millis > 0;
        try {
            begin();
            boolean over =
                    spin(begin, ends ? Math.min(POLLING_NANOS, TimeUnit.MILLISECONDS.toNanos(millis)) : POLLING_NANOS);
            while (!over) {
                long left = ends ? millisLeft(begin, millis) : -1;
                over = left == 0 || sleep(left) || woken;
            }
        } finally {
            end();
        }
    }

    private static long millisLeft(long begin, long millis) {
        return Math.max(0, millis - (System.nanoTime() - begin) / 1_000_000);
    }

    /** Looks for a while; returns whether the select is over. */
    private boolean spin(long begin, long nanos) throws IOException {
        for (int i = 1; hotCount > 0 && System.nanoTime() - begin < nanos; i++) {
            Thread.onSpinWait();
            if (look(false) || woken || (i % LOOK_AT_DESCRIPTORS == 0 && lookAtDescriptors(0))) {
                return true;
            }
        }
        return false;
    }

    /** Sleeps until something may be ready; returns whether something is. */
    private boolean sleep(long millis) throws IOException {
        asleep.set(true);
        try {
            boolean any = look(true);
            boolean stays = any || woken || told.get() != null;
            return lookAtDescriptors(stays ? 0 : millis) || any;
        } finally {
            asleep.set(false);
        }
    }

    /** Takes what descriptors tell, and looks at what it is of. */
    private boolean lookAtDescriptors(long millis) throws IOException {
        int count = epoll.await(millis);
        asleep.set(false);
        for (int i = 0; i < count; i++) {
            RdmaSelectionKey key = watched.get(epoll.number(i));
            if (key != null && key.isValid()) {
                key.event(epoll.operations(i));
            } else if (key != null) {
                dropCancelled(); // or its descriptor would keep the select from sleeping
            }
        }
        return told.get() != null && look(false);
    }

    /**
     * Asks the channels that are hot.
     *
     * @param arm whether those that have nothing tell of it when they have, and are not hot any more
     * @return whether one was ready
     */
    private boolean look(boolean arm) throws IOException {
        takeTold();
        boolean any = false;
        int kept = 0;
        for (int i = 0; i < hotCount; i++) {
            RdmaSelectionKey key = hot[i];
            boolean arms = arm || turns - key.lastTurn() > MOST_IDLE;
            int ready = key.isValid() ? key.look(arms) : 0;
            if (ready != 0) {
                any = true;
                key.lastTurn(turns);
                select(key, ready);
            } else if (arms || !key.isValid()) {
                key.hot(false);
                continue;
            }
            hot[kept++] = key;
        }
        Arrays.fill(hot, kept, hotCount, null);
        hotCount = kept;
        return any;
    }

    private void select(RdmaSelectionKey key, int ready) {
        if (key.place() < 0) {
            key.ready(ready);
            selected.insert(key);
            updated++;
        } else if ((ready & ~key.ready()) != 0) {
            key.ready(key.ready() | ready);
            updated++;
        }
    }

    private void takeTold() throws IOException {
        if (told.get() == null) {
            return;
        }
        RdmaException failure = null;
        RdmaSelectionKey key = told.getAndSet(null);
        while (key != null) {
            RdmaSelectionKey next = key.takeTold();
            try {
                heat(key);
            } catch (RdmaException e) {
                failure = e;
            }
            key = next;
        }
        if (failure != null) {
            throw new IOException("a channel cannot be waited for: " + failure.getMessage(), failure);
        }
    }

    private void heat(RdmaSelectionKey key) {
        if (!key.isValid()) {
            return;
        }
        key.lastTurn(turns);
        if (!key.isHot()) {
            if (hotCount == hot.length) {
                hot = Arrays.copyOf(hot, 2 * hotCount);
            }
            hot[hotCount++] = key;
            key.hot(true);
        }
        key.watch();
    }

    /** Any thread: the channel of a key may have changed. */
    void tell(RdmaSelectionKey key) {
        RdmaSelectionKey first;
        do {
            first = told.get();
            key.nextTold(first);
        } while (!told.compareAndSet(first, key));
        wakeFromSleep();
    }

    private void wakeFromSleep() {
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            epoll.wakeup();
        }
    }

    @Override
    public RdmaSelector wakeup() {
        woken = true;
        wakeFromSleep();
        return this;
    }

    /** Waits for a descriptor of a key; returns the number by which the key is known. */
    int watch(RdmaSelectionKey key, int fileDescriptor, int operations) {
        int number = key.number() < 0 ? watched.add(key) : key.number();
        boolean added = false;
        try {
            epoll.add(fileDescriptor, operations, number);
            added = true;
        } finally {
            if (!added && key.number() < 0) {
                watched.remove(number);
            }
        }
        hasForeign |= key.selectable().isForeign();
        return number;
    }

    /** Waits for something else of a descriptor. */
    void rewatch(int fileDescriptor, int operations, int number) {
        epoll.change(fileDescriptor, operations, number);
    }

    /** Any thread: waits for a descriptor no more. */
    void unwatch(int fileDescriptor) {
        epoll.remove(fileDescriptor);
    }

    private void dropCancelled() {
        Set<SelectionKey> cancelled = cancelledKeys();
        synchronized (cancelled) {
            if (!cancelled.isEmpty()) {
                cancelled.forEach(this::drop);
                cancelled.clear();
            }
        }
    }

    private void drop(SelectionKey one) {
        var key = (RdmaSelectionKey) one;
        key.selectable().watchers().remove(key);
        key.unwatch();
        if (key.number() >= 0) {
            watched.remove(key.number());
        }
        keys.remove(key);
        selected.remove(key);
        deregister(key);
        key.selectable().deregistered();
    }

    @Override
    protected void implCloseSelector() {
        wakeup();
        synchronized (this) {
            synchronized (selected) {
                keys.forEach(this::drop);
                epoll.close();
            }
        }
    }
}
