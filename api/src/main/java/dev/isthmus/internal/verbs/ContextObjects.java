// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The objects of an open device that events can concern, by the address of their C struct. An object is added after its
 * creation, and removed after its destruction. Thread-safe.
 */
public final class ContextObjects {

    private final Map<Long, Object> byAddress = new ConcurrentHashMap<>();

    /** Creates an empty set. */
    public ContextObjects() {}

    /** Adds an object. */
    public void add(MemorySegment handle, Object object) {
        byAddress.put(handle.address(), object);
    }

    /** Removes an object, but not another one that another thread has created meanwhile at the same address. */
    public void remove(MemorySegment handle, Object object) {
        byAddress.remove(handle.address(), object);
    }

    /** The objects of a class that exist now. */
    public <T> List<T> all(Class<T> kind) {
        return byAddress.values().stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    /**
     * The object of a pointer from an event that is not acknowledged yet; null if it does not belong to this library.
     */
    public <T> T find(Class<T> kind, MemorySegment pointer) {
        Object object = byAddress.get(pointer.address());
        return kind.isInstance(object) ? kind.cast(object) : null;
    }
}
