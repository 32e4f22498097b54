// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.tags;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.TagLimit;
import dev.isthmus.internal.verbs.VerbsErrors;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.SharedReceiveQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * The tags of a shared receive queue: posts operations on them. It belongs to the queue's thread. You need not close
 * it; closing the queue ends it.
 *
 * <p>Keep one for each queue. It knows the handles of its operations, and refuses others, as a driver uses a handle as
 * an index.
 */
public final class TagQueue {

    private final SharedReceiveQueue owner;
    private final OwnerThread thread;
    private final ProtectionDomain pd;
    private final MemorySegment function;
    private final long queue;
    private final int maxOps;
    private final MemorySegment bad = Arena.ofAuto().allocate(JAVA_LONG);
    private final long badAddress = bad.address();

    /** The driver uses a handle as an index. Those up to the highest one that it has issued are safe. */
    private int handles;

    private TagQueue(SharedReceiveQueue owner) {
        this.owner = owner;
        this.thread = Natives.part(owner, OwnerThread.class);
        this.pd = owner.protectionDomain();
        this.function = Natives.part(pd.context(), ContextOps.class).address(ContextFunction.POST_SRQ_OPS);
        this.queue = Natives.handle(owner).address();
        this.maxOps = Natives.part(owner, TagLimit.class).operations();
    }

    /**
     * The tags of a queue.
     *
     * @param queue a queue created with {@link dev.isthmus.verbs.SharedReceiveQueueConfig#tagMatching}; for any other
     *     the device refuses the operations
     * @return an object that posts operations on its tags
     */
    public static TagQueue of(SharedReceiveQueue queue) {
        return new TagQueue(queue);
    }

    /**
     * The queue with these tags.
     *
     * @return the queue
     */
    public SharedReceiveQueue sharedReceiveQueue() {
        return owner;
    }

    /**
     * Posts a change of the tags that the queue matches: {@code ibv_post_srq_ops}. Does not wait, allocates nothing.
     * You can change the operation and post it again at once.
     *
     * @param operation an operation without another chained to it
     * @return false if there is no room: too many operations or tags are outstanding
     * @throws WrongThreadException if the queue belongs to another thread
     * @throws IllegalStateException if the queue, the region of the operation, or its arena is closed
     * @throws IllegalArgumentException if another operation is chained to it
     * @throws IndexOutOfBoundsException if it deletes with a handle that no operation of this one got
     * @throws dev.isthmus.VerbsException if the driver refuses it, with EOPNOTSUPP if the device matches no tags
     */
    @CheckReturnValue
    @HotPath
    public boolean tryPost(TagOperation operation) {
        if (operation.next() != null) {
            throw new IllegalArgumentException("another operation is chained to this one: post it with tryPostChain");
        }
        return tryPostChain(operation) == null;
    }

    /**
     * Posts a chain of changes in one call: {@code ibv_post_srq_ops}. Otherwise like {@link #tryPost}.
     *
     * @param first the first operation; the others follow by {@link TagOperation#next(TagOperation)}
     * @return null if all were taken, otherwise the first for which there was no room
     * @throws IllegalArgumentException if the chain is longer than the number of operations that the queue was
     *     created for
     */
    @CheckReturnValue
    @HotPath
    public TagOperation tryPostChain(TagOperation first) {
        thread.check();
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
