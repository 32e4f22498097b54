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

    /**
     * Closes all. If one cannot be closed, the rest stays open, and you can try again. A resource's close may add others,
     * or call this again.
     */
    void close() {
        while (!owned.isEmpty()) {
            AutoCloseable resource = owned.pop(); // before the program's part, which may change what is on top
            boolean closed = false;
            try {
                resource.close();
                closed = true;
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(resource + " could not be closed", e);
            } finally {
                if (!closed) {
                    owned.push(resource);
                }
            }
        }
    }
}
