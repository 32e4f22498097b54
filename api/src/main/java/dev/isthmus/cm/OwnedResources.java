// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.util.ArrayDeque;
import java.util.Deque;

/** What the program has something close with itself; what came last is closed first. */
final class OwnedResources {

    private final Deque<AutoCloseable> owned = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        owned.push(resource);
        return resource;
    }

    /** Closes all; when one cannot be, the rest stays, and it can be tried again. */
    void close() {
        while (!owned.isEmpty()) {
            try {
                owned.peek().close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(owned.peek() + " could not be closed", e);
            }
            owned.pop();
        }
    }
}
