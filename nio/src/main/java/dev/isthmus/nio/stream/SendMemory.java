// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.VerbsException;
import dev.isthmus.verbs.MemoryRegion;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Memory that streams of groups send from without a copy. A group registers it when one of its streams first sends from
 * it, and deregisters it at the group's end. No peer can reach it. Thread-safe. The segment must live as long as any
 * group that has registered it.
 */
public final class SendMemory {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");

    private final MemorySegment segment;
    private final long address;
    private volatile Registration[] registrations = {}; // by the number of the group's domain

    /** The region; null if the memory could not be registered. */
    private record Registration(MemoryRegion region) {}

    /**
     * Takes the memory.
     *
     * @param segment native memory
     */
    public SendMemory(MemorySegment segment) {
        this.segment = segment;
        this.address = segment.address();
    }

    /**
     * Where it begins.
     *
     * @return the address
     */
    public long address() {
        return address;
    }

    /** Its region in a domain; null if it cannot be registered there. The caller holds the group's lock. */
    MemoryRegion in(GroupDevice device) {
        int number = device.number();
        Registration[] all = registrations;
        Registration known = number < all.length ? all[number] : null;
        return (known != null ? known : register(device)).region();
    }

    private synchronized Registration register(GroupDevice device) {
        MemoryRegion region = null;
        try {
            region = device.pd().register(segment);
        } catch (VerbsException e) {
            LOG.log(
                    Level.WARNING,
                    "{0} bytes cannot be registered, so what is sent from them is copied: {1}",
                    segment.byteSize(),
                    e.getMessage());
        }
        Registration made = new Registration(region);
        set(device.number(), made);
        device.registered(this);
        return made;
    }

    private void set(int number, Registration to) {
        Registration[] next = Arrays.copyOf(registrations, Math.max(registrations.length, number + 1));
        next[number] = to;
        registrations = next;
    }

    synchronized void deregister(int number) {
        MemoryRegion region = registrations[number].region();
        set(number, null);
        if (region != null) {
            Link.close(region);
        }
    }
}
