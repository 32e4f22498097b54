// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

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
    private int watched = -1; // the descriptor that the selector waits for; -1 if for none; guarded by this
    private int awaited; // for what it waits
    private int found; // of the descriptor, since the last look
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

    /** Has the selector wait for the descriptor, if there is one now, and for what the program wants. */
    synchronized void watch() {
        int fd = watched >= 0 ? watched : channel.isOpen() ? selectable.fileDescriptor() : -1;
        int wanted = selectable.awaited(interest);
        if (fd < 0 || (watched >= 0 && wanted == awaited)) {
            return;
        }
        if (wanted == 0) {
            unwatch(); // or it would tell of errors
        } else if (watched >= 0) {
            selector.rewatch(fd, wanted, number);
        } else {
            number = selector.watch(this, fd, wanted);
            watched = fd;
        }
        awaited = wanted;
    }

    /** Any thread: waits for the descriptor no more, which is still open. */
    synchronized void unwatch() {
        if (watched >= 0) {
            selector.unwatch(watched);
            watched = -1;
        }
    }

    /** The descriptor was found ready. */
    void event(int operations) {
        found = operations;
        selectable.takeEvent();
        changed();
    }

    /** What it is ready for, of what is asked for; if for nothing, it tells when that may have changed, if that is wanted. */
    int look(boolean arm) {
        int wanted = interest;
        int ready = wanted == 0 ? 0 : selectable.ready(wanted, found, arm);
        found = 0;
        return ready;
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
