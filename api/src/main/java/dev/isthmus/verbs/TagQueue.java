package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** The tags of a shared receive queue: posts operations on them. The queue has checked the thread. */
final class TagQueue {

    private final SharedReceiveQueue owner;
    private final ProtectionDomain pd;
    private final MemorySegment function;
    private final long queue;
    private final int maxOps;
    private final MemorySegment bad = Arena.ofAuto().allocate(JAVA_LONG);
    private final long badAddress = bad.address();

    /** The driver takes a handle as an index; those up to the highest that it has given out are safe. */
    private int handles;

    /**
     * The tags of a queue.
     *
     * @param pd the domain that the buffers are in
     * @param maxOps how many operations it was made for; 0 if it matches no tags
     */
    TagQueue(SharedReceiveQueue owner, ProtectionDomain pd, MemorySegment function, long queue, int maxOps) {
        this.owner = owner;
        this.pd = pd;
        this.function = function;
        this.queue = queue;
        this.maxOps = maxOps;
    }

    /** Posts a chain; the first operation that was not taken because there was no room, or null. */
    @HotPath
    TagOperation tryPostChain(TagOperation first) {
        int length = 0;
        for (TagOperation operation = first; operation != null; operation = operation.next()) {
            operation.check(handles, pd, owner);
            if (++length > Math.max(1, maxOps)) {
                throw new IllegalArgumentException("the chain is longer than " + owner + " takes, which is " + maxOps
                        + " operations; is it a ring?");
            }
        }
        int errno = post(first);
        if (errno != 0) {
            return firstRefused(first, errno);
        }
        posted(first, null);
        return null;
    }

    @HotPath
    private int post(TagOperation first) {
        try {
            return DataPath.post(function, queue, first.address(), badAddress);
        } finally {
            Reference.reachabilityFence(first); // its memory, and that of "bad", must not be collected during the call
            Reference.reachabilityFence(this);
        }
    }

    @HotPath
    private void posted(TagOperation first, TagOperation end) {
        for (TagOperation operation = first; operation != end; operation = operation.next()) {
            handles = Math.max(handles, operation.handlesKnown());
        }
    }

    private TagOperation firstRefused(TagOperation first, int result) {
        long refused = bad.get(JAVA_LONG, 0);
        bad.set(JAVA_LONG, 0, 0);
        TagOperation operation = first;
        while (operation != null && operation.address() != refused) {
            operation = operation.next();
        }
        posted(first, operation == null ? first : operation);
        int errno = Math.abs(result);
        if (errno == Errno.ENOMEM && operation != null) {
            return operation;
        }
        String help = maxOps == 0 && errno == Errno.EINVAL ? "the queue was made without tagMatching()" : "";
        throw VerbsErrors.failure(
                ContextFunction.POST_SRQ_OPS.publicName(),
                owner + ", " + (operation == null ? first : operation),
                errno,
                help);
    }
}
