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
 * A channel that is registered with a selector. Any thread may call the methods of {@link SelectionKey}. The others
 * need the selector's monitor, unless they say otherwise.
 */
final class RdmaSelectionKey extends AbstractSelectionKey implements Watcher {

    private final RdmaSelector selector;
    private final SelectableChannel channel;
    private final Selectable selectable;
    private final AtomicBoolean changed = new AtomicBoolean(); // may have changed since the last look
    private RdmaSelectionKey nextChanged; // in the selector's stack; of the thread that pushes it, then that takes it
    private volatile int interest;
    private volatile int ready;
    private int watched = -1; // the descriptor that the selector waits for, or -1; guarded by this
    private int awaited; // the operations that it waits for
    private int found; // on the descriptor, since the last look
    private int number = -1; // of its descriptor in the selector
    private int place = -1; // in the selected-key set
    private boolean hot; // it is asked on each look
    private int lastTurn; // in which it was ready, or changed
    private int actionTurn; // in which it was added to the keys for an action

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
            throw new IllegalArgumentException(channel + " does not support the operations " + ops);
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
        if (!changed.get() && changed.compareAndSet(false, true)) {
            selector.pushChanged(this);
        }
    }

    /** Any thread. */
    @Override
    public void closing() {
        unwatch();
    }

    void nextChanged(RdmaSelectionKey next) {
        nextChanged = next;
    }

    /** Takes it from the stack of changed keys; returns the next one. */
    RdmaSelectionKey takeChanged() {
        RdmaSelectionKey next = nextChanged;
        nextChanged = null;
        changed.set(false); // a change from now on is recorded again
        return next;
    }

    /** Lets the selector wait for the operations that the program wants, if there is a descriptor by now. */
    synchronized void watch() {
        int fd = watched >= 0 ? watched : channel.isOpen() ? selectable.fileDescriptor() : -1;
        int wanted = selectable.awaited(interest);
        if (fd < 0 || (watched >= 0 && wanted == awaited)) {
            return;
        }
        if (wanted == 0) {
            unwatch(); // otherwise epoll would still report errors
        } else if (watched >= 0) {
            selector.rewatch(fd, wanted, number);
        } else {
            number = selector.watch(this, fd, wanted);
            watched = fd;
        }
        awaited = wanted;
    }

    /** Stops waiting for the descriptor, which is still open. Any thread may call it. */
    synchronized void unwatch() {
        if (watched >= 0) {
            selector.unwatch(watched);
            watched = -1;
        }
    }

    /** Notes for what the descriptor was found ready. */
    void event(int operations) {
        found = operations;
        selectable.takeEvent();
        changed();
    }

    /**
     * What the channel is ready for, of the interest set. If that is nothing and arm is set, {@link #changed} is called
     * when it may have changed.
     */
    int look(boolean arm) {
        int wanted = interest;
        int event = found;
        found = 0;
        return wanted == 0 || !isValid() ? 0 : selectable.ready(wanted, event, arm);
    }

    int number() {
        return number;
    }

    /** Returns its number, which it no longer has. */
    int takeNumber() {
        int taken = number;
        number = -1;
        return taken;
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

    int actionTurn() {
        return actionTurn;
    }

    void actionTurn(int turn) {
        actionTurn = turn;
    }

    @Override
    public String toString() {
        return "key of " + channel + ", "
                + (isValid() ? "interestOps=" + interest + ", readyOps=" + ready : "cancelled");
    }
}
