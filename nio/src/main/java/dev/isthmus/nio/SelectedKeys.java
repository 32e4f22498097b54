// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The selected keys of a selector: an array in which each key knows its place. Adding, removing, clearing and iterating
 * allocate nothing, as a finished iterator is reused. Not thread-safe, like any selected-key set.
 */
final class SelectedKeys extends AbstractSet<SelectionKey> {

    private RdmaSelectionKey[] keys = new RdmaSelectionKey[16];
    private int size;
    private int changes;
    private Keys spare = new Keys();

    /** From the last key to the first, so that the last can take the place of a removed one. */
    private final class Keys implements Iterator<SelectionKey> {

        private int next = -1;
        private int expected;
        private boolean removable;

        Keys begin() {
            next = size - 1;
            expected = changes;
            removable = false;
            return this;
        }

        @Override
        public boolean hasNext() {
            if (next >= 0) {
                return true;
            }
            spare = this;
            return false;
        }

        @Override
        public SelectionKey next() {
            check();
            if (next < 0) {
                throw new NoSuchElementException();
            }
            removable = true;
            return keys[next--];
        }

        @Override
        public void remove() {
            if (!removable) {
                throw new IllegalStateException("the key is removed already, or next was not called yet");
            }
            check();
            removable = false;
            SelectedKeys.this.remove(keys[next + 1]);
            expected = changes;
        }

        private void check() {
            if (expected != changes) {
                throw new ConcurrentModificationException();
            }
        }
    }

    /** Adds a key that is not there. */
    void insert(RdmaSelectionKey key) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
        }
        key.place(size);
        keys[size++] = key;
        changes++;
    }

    @Override
    public boolean contains(Object o) {
        return o instanceof RdmaSelectionKey key && key.place() < size && key.place() >= 0 && keys[key.place()] == key;
    }

    @Override
    public boolean remove(Object o) {
        if (!contains(o)) {
            return false;
        }
        var key = (RdmaSelectionKey) o;
        RdmaSelectionKey last = keys[--size];
        keys[key.place()] = last;
        last.place(key.place());
        keys[size] = null;
        key.place(-1);
        changes++;
        return true;
    }

    @Override
    public void clear() {
        for (int i = 0; i < size; i++) {
            keys[i].place(-1);
            keys[i] = null;
        }
        size = 0;
        changes++;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        Keys one = spare == null ? new Keys() : spare;
        spare = null;
        return one.begin();
    }
}
