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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Selects which of many sockets over RDMA are ready to connect, accept, read or write: a {@link Selector} that waits
 * with {@code epoll} for the completion channels of their connections. It behaves like the JDK's. Its cost depends on
 * how many channels are ready, not on how many are registered. A select that need not sleep allocates nothing; neither
 * does a read or a write.
 *
 * <p>A select first polls the channels that were ready lately, and then sleeps. The system property
 * {@code isthmus.nio.selectPolling} says how many microseconds it polls, by default 10. With 0 it sleeps at once; a
 * larger value trades processor time for latency.
 *
 * <p>It also takes channels of the JDK, such as those over TCP, datagram channels and pipes, if the JVM was started
 * with {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED}, or {@code =dev.isthmus.nio} on the module path. Without
 * that flag, registering them throws an {@link UnsupportedOperationException}.
 *
 * <p>It is as thread-safe as {@link Selector} says. It owns two file descriptors until it is closed. Channels belong to
 * whoever opened them.
 */
public final class RdmaSelector extends AbstractSelector {

    private static final long POLLING_NANOS =
            TimeUnit.MICROSECONDS.toNanos(Math.max(0, Integer.getInteger("isthmus.nio.selectPolling", 10)));

    /** The most descriptors that one call of epoll reports. */
    private static final int MAX_EVENTS = 256;

    /**
     * When hot channels alone keep it busy, one turn in this many also looks at the descriptors of the other channels.
     */
    private static final int DESCRIPTOR_CHECK_INTERVAL = 16;

    /** A channel that was not ready for this many turns waits for an event. */
    private static final int MAX_IDLE_TURNS = 64;

    private final Epoll epoll = Epoll.open(MAX_EVENTS);
    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> seenKeys = Collections.unmodifiableSet(keys);
    private final SelectedKeys selected = new SelectedKeys();

    /** A stack of the keys whose channels may have changed. */
    private final AtomicReference<RdmaSelectionKey> changed = new AtomicReference<>();

    private final AtomicBoolean asleep = new AtomicBoolean(); // or about to be; whoever sets it to false wakes it
    private volatile boolean woken; // by the program, and no select has returned because of it yet

    // Guarded by this object's monitor, like everything below.
    private RdmaSelectionKey[] hot = new RdmaSelectionKey[16]; // asked on each look
    private int hotCount;
    private final WatchedKeys watched = new WatchedKeys();
    private int cold; // how many of the watched keys are not hot: only their descriptors report their readiness
    private boolean hasForeign; // has, or had, channels that only their descriptor reports on
    private int turns;
    private int updated; // by the current select
    private boolean hasAction; // the current select passes keys to an action, rather than to the set
    private final List<RdmaSelectionKey> actionKeys = new ArrayList<>();

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
        keys.add(key);
        key.selectable().watchers().add(key); // first: a select may look at the key as soon as it wants something
        key.interestOps(operations);
        if (!isOpen()) { // its close may have missed this key
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
        return selectFor(0, null);
    }

    @Override
    public int select() throws IOException {
        return selectFor(-1, null);
    }

    @Override
    public int select(long timeout) throws IOException {
        return selectFor(millis(timeout), null);
    }

    /** Runs the action on this thread for each key that is ready; the selected-key set does not change. */
    @Override
    public int selectNow(Consumer<SelectionKey> action) throws IOException {
        return selectFor(0, Objects.requireNonNull(action, "action"));
    }

    /** Runs the action on this thread for each key that is ready; the selected-key set does not change. */
    @Override
    public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
        return selectFor(millis(timeout), Objects.requireNonNull(action, "action"));
    }

    private static long millis(long timeout) {
        if (timeout < 0) {
            throw new IllegalArgumentException("a timeout cannot be negative: " + timeout);
        }
        return timeout == 0 ? -1 : timeout;
    }

    /** Selects, and does not wait if millis is 0; -1 waits without a limit. Without an action, keys go to the set. */
    private int selectFor(long millis, Consumer<SelectionKey> action) throws IOException {
        synchronized (this) {
            checkOpen();
            if (hasAction) {
                throw new IllegalStateException("the action of a select cannot begin another select");
            }
            synchronized (selected) {
                if (action == null) {
                    selectFor(millis);
                } else {
                    selectWithAction(millis, action);
                }
                return updated;
            }
        }
    }

    private void selectWithAction(long millis, Consumer<SelectionKey> action) throws IOException {
        hasAction = true;
        try {
            selectFor(millis);
            runAction(action);
        } finally {
            actionKeys.clear();
            hasAction = false;
        }
    }

    private void selectFor(long millis) throws IOException {
        dropCancelled();
        updated = 0;
        turns++;
        boolean any = look();
        if (!any || hasForeign || ((turns & DESCRIPTOR_CHECK_INTERVAL - 1) == 0 && cold > 0)) {
            selectByDescriptors(any, millis);
        }
        if (woken) {
            woken = false;
        }
    }

    /** Asks the kernel. Waits if the caller wants that and nothing is ready yet. */
    private void selectByDescriptors(boolean any, long millis) throws IOException {
        if (any || millis == 0 || woken) {
            checkDescriptors(0);
        } else {
            await(millis);
        }
        dropCancelled(); // only this path takes long enough for more keys to be cancelled meanwhile
    }

    /** The action may do anything to keys and channels, and may close the selector. */
    private void runAction(Consumer<SelectionKey> action) {
        for (RdmaSelectionKey key : actionKeys) {
            action.accept(key);
            checkOpen();
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

    /** Polls for a while; returns whether the select is over. */
    private boolean spin(long begin, long nanos) throws IOException {
        for (int i = 1; hotCount > 0 && System.nanoTime() - begin < nanos; i++) {
            Thread.onSpinWait();
            if (look() || woken || (i % DESCRIPTOR_CHECK_INTERVAL == 0 && checkDescriptors(0))) {
                return true;
            }
        }
        return false;
    }

    /** Sleeps until a channel may be ready; returns whether one is. */
    private boolean sleep(long millis) throws IOException {
        asleep.set(true);
        try {
            takeChanged();
            boolean any = cool(true);
            boolean stays = any || woken || changed.get() != null;
            return checkDescriptors(stays ? 0 : millis) || any;
        } finally {
            asleep.set(false);
        }
    }

    /** Takes events from the descriptors, and looks at their channels. */
    private boolean checkDescriptors(long millis) throws IOException {
        int count = epoll.await(millis);
        asleep.set(false);
        for (int i = 0; i < count; i++) {
            RdmaSelectionKey key = watched.get(epoll.number(i));
            if (key != null && key.isValid()) {
                key.event(epoll.operations(i));
            } else if (key != null) {
                dropCancelled(); // otherwise its descriptor would keep the select awake
            }
        }
        return changed.get() != null && look();
    }

    /** Asks the hot channels; returns whether one was ready. */
    private boolean look() throws IOException {
        takeChanged();
        boolean any = false;
        boolean anyIdle = false;
        for (int i = 0; i < hotCount; i++) {
            RdmaSelectionKey key = hot[i];
            int ready = key.look(false);
            if (ready != 0) {
                any = true;
                select(key, ready);
            } else {
                anyIdle |= turns - key.lastTurn() > MAX_IDLE_TURNS || !key.isValid();
            }
        }
        return (anyIdle && cool(false)) || any;
    }

    /**
     * Lets channels that are not ready wait for an event: they are no longer hot.
     *
     * @param all whether to do so with all of them, or only with those that were not ready for long
     * @return whether one was ready
     */
    private boolean cool(boolean all) {
        boolean any = false;
        int kept = 0;
        for (int i = 0; i < hotCount; i++) {
            RdmaSelectionKey key = hot[i];
            boolean arms = all || turns - key.lastTurn() > MAX_IDLE_TURNS || !key.isValid();
            int ready = arms ? key.look(true) : 0;
            if (ready != 0) {
                any = true;
                select(key, ready);
            }
            if (arms && ready == 0) {
                key.hot(false);
                cold += key.number() < 0 ? 0 : 1;
            } else {
                hot[kept++] = key;
            }
        }
        Arrays.fill(hot, kept, hotCount, null);
        hotCount = kept;
        return any;
    }

    private void select(RdmaSelectionKey key, int ready) {
        key.lastTurn(turns);
        if (hasAction && key.actionTurn() != turns) {
            key.actionTurn(turns);
            key.ready(ready);
            actionKeys.add(key);
            updated++;
        } else if (hasAction) {
            key.ready(key.ready() | ready);
        } else if (key.place() < 0) {
            key.ready(ready);
            selected.insert(key);
            updated++;
        } else if ((ready & ~key.ready()) != 0) {
            key.ready(key.ready() | ready);
            updated++;
        }
    }

    private void takeChanged() throws IOException {
        if (changed.get() == null) {
            return;
        }
        RdmaException failure = null;
        RdmaSelectionKey key = changed.getAndSet(null);
        while (key != null) {
            RdmaSelectionKey next = key.takeChanged();
            try {
                heat(key);
            } catch (RdmaException e) {
                failure = e;
            }
            key = next;
        }
        if (failure != null) {
            throw new IOException("cannot wait for a channel: " + failure.getMessage(), failure);
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
            cold -= key.number() < 0 ? 0 : 1;
        }
        key.watch();
    }

    /** Notes that the channel of a key may have changed. Any thread may call it. */
    void pushChanged(RdmaSelectionKey key) {
        RdmaSelectionKey first;
        do {
            first = changed.get();
            key.nextChanged(first);
        } while (!changed.compareAndSet(first, key));
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

    /** Starts to wait for the descriptor of a key; returns the key's number. */
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

    /** Changes the operations that it awaits from a descriptor. */
    void rewatch(int fileDescriptor, int operations, int number) {
        epoll.change(fileDescriptor, operations, number);
    }

    /** Stops waiting for a descriptor. Any thread may call it. */
    void unwatch(int fileDescriptor) {
        epoll.remove(fileDescriptor);
    }

    private void dropCancelled() {
        Set<SelectionKey> cancelled = cancelledKeys();
        if (!cancelled.isEmpty()) { // a key that is being cancelled right now may wait for the next select
            synchronized (cancelled) {
                cancelled.forEach(this::drop);
                cancelled.clear();
            }
        }
    }

    private void drop(SelectionKey one) {
        var key = (RdmaSelectionKey) one;
        key.selectable().watchers().remove(key);
        key.unwatch();
        int number = key.takeNumber();
        if (number >= 0) {
            watched.remove(number);
            cold -= key.isHot() ? 0 : 1;
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
