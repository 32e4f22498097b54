// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes resources again, the last one first, if a step fails. */
final class Undo implements AutoCloseable {

    private final Deque<AutoCloseable> made = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        made.push(resource);
        return resource;
    }

    /** Keeps everything, as all steps have succeeded. */
    void keep() {
        made.clear();
    }

    /** Closes all, even if one cannot be closed; throws the first failure. */
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
