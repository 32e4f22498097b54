package dev.isthmus.nio;

import dev.isthmus.nio.stream.Stream;
import dev.isthmus.nio.stream.Watcher;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A channel that is registered with a selector. Any thread may use what {@link SelectionKey} has; the rest belongs to who
 * holds the selector's monitor, unless it says otherwise.
 */
final class RdmaSelectionKey extends AbstractSelectionKey implements Watcher {

    private final RdmaSelector selector;
    private final SelectableChannel channel;
    private final Selectable selectable;
    private final AtomicBoolean told = new AtomicBoolean(); // and the selector has not looked yet
    private RdmaSelectionKey nextTold; // of the stack of those; belongs to who pushes, and then to who has taken it
    private volatile int interest;
    private volatile int ready;
    private Stream watched; // whose descriptor the selector waits for; null if for none; guarded by this
    private int number = -1; // by which the selector knows its descriptor
    private int place = -1; // in the set of selected keys
    private boolean hot; // it is asked on each look
    private int lastTurn; // at which it was ready, or told

    RdmaSelectionKey(RdmaSelector selector, SelectableChannel channel, Selectable selectable) {
        this.selector = selector;
        this.channel = channel;
        this.selectable = selectable;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Override
    public int interestOps() {
        checkValid();
        return interest;
    }

    @Override
    public SelectionKey interestOps(int ops) {
        checkValid();
        if ((ops & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException(channel + " has no operations " + ops);
        }
        interest = ops;
        changed();
        return this;
    }

    @Override
    public int readyOps() {
        checkValid();
        return ready;
    }

    private void checkValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    Selectable selectable() {
        return selectable;
    }

    /** Any thread: the selector looks at it in its next select, or in the one that sleeps. */
    @Override
    public void changed() {
        if (!told.get() && told.compareAndSet(false, true)) {
            selector.tell(this);
        }
    }

    /** Any thread. */
    @Override
    public void closing() {
        unwatch();
    }

    void nextTold(RdmaSelectionKey next) {
        nextTold = next;
    }

    /** Takes it from the stack of those that were told; returns the next one. */
    RdmaSelectionKey takeTold() {
        RdmaSelectionKey next = nextTold;
        nextTold = null;
        told.set(false); // what changes now tells anew
        return next;
    }

    /** Has the selector wait for the descriptor, if there is one now and it does not yet. */
    synchronized void watch() {
        if (watched == null && channel.isOpen()) {
            Stream stream = selectable.stream();
            if (stream != null) {
                number = selector.watch(this, number, stream.fileDescriptor());
                watched = stream;
            }
        }
    }

    /** Any thread: waits for the descriptor no more, which is still open. */
    synchronized void unwatch() {
        if (watched != null) {
            selector.unwatch(watched.fileDescriptor());
            watched = null;
        }
    }

    /** The descriptor is readable. */
    void takeEvent() {
        Stream stream = selectable.stream();
        if (stream != null) {
            stream.takeEvent();
        }
    }

    /** What it is ready for, of what is asked for; if for nothing, it tells when that may have changed, if that is wanted. */
    int look(boolean arm) {
        int wanted = interest;
        return wanted == 0 ? 0 : selectable.ready(wanted, arm);
    }

    int number() {
        return number;
    }

    int ready() {
        return ready;
    }

    void ready(int operations) {
        ready = operations;
    }

    int place() {
        return place;
    }

    void place(int inSet) {
        place = inSet;
    }

    boolean isHot() {
        return hot;
    }

    void hot(boolean is) {
        hot = is;
    }

    int lastTurn() {
        return lastTurn;
    }

    void lastTurn(int turn) {
        lastTurn = turn;
    }

    @Override
    public String toString() {
        return "key of " + channel + ", "
                + (isValid() ? "interestOps=" + interest + ", readyOps=" + ready : "cancelled");
    }
}
