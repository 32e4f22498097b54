// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.util.ArrayDeque;
import java.util.Deque;

/** What is closed again, last first, when something does not come to its end. */
final class Undo implements AutoCloseable {

    private final Deque<AutoCloseable> made = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        made.push(resource);
        return resource;
    }

    /** All went well: nothing is closed. */
    void keep() {
        made.clear();
    }

    /** Closes all, also when one cannot be; the first failure is thrown. */
    @Override
    public void close() {
        RuntimeException failure = null;
        while (!made.isEmpty()) {
            try {
                made.pop().close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            } catch (Exception e) {
                throw new AssertionError("these throw no checked exception", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
