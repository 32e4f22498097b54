// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.util.ArrayDeque;
import java.util.Deque;

/** Resources that the program wants closed together with an object; the last one added is closed first. */
final class OwnedResources {

    private final Deque<AutoCloseable> owned = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        owned.push(resource);
        return resource;
    }

    /** Closes all. If one cannot be closed, the rest stays open, and you can try again. */
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
