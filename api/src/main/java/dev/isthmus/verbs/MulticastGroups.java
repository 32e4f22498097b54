package dev.isthmus.verbs;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The multicast groups that one queue pair is in, which it leaves before it is destroyed: C does not destroy one that
 * is in a group. The queue pair has checked the thread, and that it is UD.
 */
final class MulticastGroups {

    private record Group(Gid gid, int lid) {

        Group {
            if (!gid.isMulticast() || lid < 0 || lid > 0xffff) {
                throw new IllegalArgumentException("gid " + gid + ", lid " + lid + " is not a multicast group");
            }
        }
    }

    private final Lifetime lifetime;
    private final MemorySegment queuePair;
    private final String name;
    private final Set<Group> joined = new HashSet<>();

    /**
     * Of a queue pair that is in none.
     *
     * @param queuePair the C object
     * @param name names it in messages
     */
    MulticastGroups(Lifetime lifetime, MemorySegment queuePair, String name) {
        this.lifetime = lifetime;
        this.queuePair = queuePair;
        this.name = name;
    }

    void attach(Gid gid, int lid) {
        var group = new Group(gid, lid);
        try (var verbs = new VerbsCall(lifetime)) {
            call(verbs, Libibverbs.ATTACH_MCAST, group);
        }
        joined.add(group);
    }

    void detach(Gid gid, int lid) {
        try (var verbs = new VerbsCall(lifetime)) {
            leave(verbs, new Group(gid, lid));
        }
    }

    /** For a queue pair that is being closed. */
    void leaveAll() {
        try (var verbs = new VerbsCall()) {
            for (Group group : List.copyOf(joined)) {
                leave(verbs, group);
            }
        }
    }

    private void leave(VerbsCall verbs, Group group) {
        call(verbs, Libibverbs.DETACH_MCAST, group);
        joined.remove(group);
    }

    private void call(VerbsCall verbs, NativeFunction function, Group group) {
        verbs.explain(errno -> errno == Errno.EINVAL ? "it may not be in the group" : "");
        MemorySegment gid = verbs.allocate(Gid.BYTES, Long.BYTES)
                .copyFrom(MemorySegment.ofArray(group.gid().bytes()));
        verbs.check(function, name + ", " + group.gid() + ", lid " + group.lid(), queuePair, gid, (short) group.lid());
    }
}
