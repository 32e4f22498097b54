// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The multicast groups of one queue pair. It leaves them before it is destroyed, as C does not destroy a queue pair in
 * a group. The queue pair has checked the thread, and that its type is UD.
 */
final class MulticastGroups {

    private final Lifetime lifetime;
    private final MemorySegment queuePair;
    private final String name;
    private final Map<Gid, Integer> joined = new HashMap<>(); // with their LIDs

    /**
     * Creates an empty set for a queue pair.
     *
     * @param queuePair the C object
     * @param name names it in messages
     */
    MulticastGroups(Lifetime lifetime, MemorySegment queuePair, String name) {
        this.lifetime = lifetime;
        this.queuePair = queuePair;
        this.name = name;
    }

    /**
     * Joins a group. Under another LID, it would be the same group to some devices, but the kernel would count
     * it twice.
     */
    void attach(Gid gid, int lid) {
        check(gid, lid);
        Integer known = joined.get(gid);
        if (known != null && known != lid) {
            throw new IllegalArgumentException(name + " is in " + gid + " already, with lid " + known);
        }
        try (var verbs = new VerbsCall(lifetime)) {
            call(verbs, Libibverbs.ATTACH_MCAST, gid, lid);
        }
        joined.put(gid, lid);
    }

    void detach(Gid gid, int lid) {
        check(gid, lid);
        try (var verbs = new VerbsCall(lifetime)) {
            verbs.explain(errno -> errno == Errno.EINVAL ? "it may not be in the group" : "");
            call(verbs, Libibverbs.DETACH_MCAST, gid, lid);
        }
        joined.remove(gid);
    }

    /** Leaves all groups of a queue pair that is being closed. */
    void leaveAll() {
        try (var verbs = new VerbsCall()) {
            joined.entrySet().removeIf(group -> leave(verbs, group.getKey(), group.getValue()));
        }
    }

    private boolean leave(VerbsCall verbs, Gid gid, int lid) {
        try {
            call(verbs, Libibverbs.DETACH_MCAST, gid, lid);
        } catch (VerbsException e) {
            if (e.errno() != Errno.EINVAL) { // EINVAL: it is not in the group, as desired
                throw e;
            }
        }
        return true;
    }

    private static void check(Gid gid, int lid) {
        if (!gid.isMulticast() || lid < 0 || lid > 0xffff) {
            throw new IllegalArgumentException("gid " + gid + ", lid " + lid + " is not a multicast group");
        }
    }

    private void call(VerbsCall verbs, NativeFunction function, Gid gid, int lid) {
        MemorySegment bytes = verbs.allocate(Gid.BYTES, Long.BYTES).copyFrom(MemorySegment.ofArray(gid.bytes()));
        verbs.check(function, name + ", " + gid + ", lid " + lid, queuePair, bytes, (short) lid);
    }
}
