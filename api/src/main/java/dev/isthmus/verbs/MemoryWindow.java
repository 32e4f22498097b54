// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.bindings.ibverbs.ibv_mw;
import dev.isthmus.bindings.ibverbs.ibv_mw_bind;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;

/**
 * A memory window: {@code struct ibv_mw}. It gives the peer access to a part of a region, by a key of its own that you
 * can withdraw without a system call. Binding it is a send request: it takes effect when that has completed, and before
 * requests posted after it.
 *
 * <p>It belongs to one thread at a time, that of the queue pairs it is bound on, at first the one that allocated it:
 * see {@link #handOver}. The program that allocates it owns it, and closes it before its region and domain. One of type
 * 2 is also closed before the queue pair that has bound it.
 */
public final class MemoryWindow implements AutoCloseable {

    private static final int SIGNALED = 1 << 1;

    private final ProtectionDomain pd;
    private final MemoryWindowType type;
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final MemorySegment handle;
    private final MemorySegment struct;
    private MemoryRegion region; // the region of the last prepared bind; null for none
    private Lifetime hold; // keeps the region open, as C follows a pointer to it at each post
    private QueuePair binder; // the queue pair of the last bind of type 2; null for none
    private Lifetime binderHold; // keeps it open: the device need not end a queue pair whose window is bound

    private MemoryWindow(ProtectionDomain pd, MemoryWindowType type, Lifetime lifetime, MemorySegment handle) {
        this.pd = pd;
        this.type = type;
        this.lifetime = lifetime;
        this.owner = new OwnerThread(lifetime);
        this.handle = handle;
        this.struct = NativeCall.sized(handle, ibv_mw.sizeof());
    }

    static MemoryWindow allocate(ProtectionDomain pd, MemoryWindowType type) {
        String name = pd.context().device().name() + ", " + type;
        var lifetime = new Lifetime("MemoryWindow", name, pd.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                var function = pd.context().ops().require(ContextFunction.ALLOC_MW);
                MemorySegment handle = call.create(function, name, pd.handle(), type.code());
                return Lifetime.orDestroy(
                        () -> new MemoryWindow(pd, type, lifetime, handle), () -> destroy(pd, handle, name));
            }
        });
    }

    private static void destroy(ProtectionDomain pd, MemorySegment handle, String name) {
        VerbsCall.destroy(pd.context().ops().require(ContextFunction.DEALLOC_MW), handle, name);
    }

    /**
     * How it is bound.
     *
     * @return the type
     */
    public MemoryWindowType type() {
        return type;
    }

    /**
     * The key by which the peer names the window: for type 1 that of the last {@link #tryBind}, for type 2 that of the
     * last {@link #bound}.
     *
     * @return the rkey
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     */
    public int rkey() {
        owner.check();
        return ibv_mw.rkey(struct);
    }

    /**
     * The key for the next bind of a window of type 2: {@code ibv_inc_rkey} of the present one. The device uses only
     * the lowest 8 bits of a key. A new key each time keeps out peers that had access before.
     *
     * @return the next rkey
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     */
    public int nextRkey() {
        return increment(rkey());
    }

    static int increment(int rkey) {
        return (rkey & ~0xff) | ((rkey + 1) & 0xff);
    }

    /**
     * Records that the bind of a window of type 2 has completed. The next bind must start from its key, and nothing
     * else tells the driver.
     *
     * @param rkey the key of that bind
     * @throws IllegalStateException if this is closed, or of type 1
     * @throws WrongThreadException if this belongs to another thread
     */
    public void bound(int rkey) {
        owner.check();
        requireType(MemoryWindowType.TYPE_2, "the driver notes the key of a window of type 1 itself");
        ibv_mw.rkey(struct, rkey);
    }

    /**
     * Posts a request that binds a window of type 1: {@code ibv_bind_mw}. Its completion has the opcode BIND_MW.
     * From now on {@link #rkey} is the new key. If the bind completes with an error, the window has no valid key.
     * Does not wait.
     *
     * @param qp connected, of the same domain; the caller owns its sends
     * @param binding what the peer may access; a length of 0 ends all access
     * @param wrId the number that the completion will carry
     * @param signaled true to get a completion when it succeeds
     * @return false if the send queue is full
     * @throws WrongThreadException if this or the sends of the queue pair belong to another thread
     * @throws IllegalStateException if this, the queue pair or the region is closed, the queue pair cannot send, or this
     *     is of type 2
     * @throws IllegalArgumentException if the queue pair is neither RC nor UC, or it or the region belongs to
     *     another domain
     * @throws dev.isthmus.VerbsException if the driver refuses the request
     */
    @CheckReturnValue
    public boolean tryBind(QueuePair qp, WindowBinding binding, long wrId, boolean signaled) {
        owner.check();
        requireType(MemoryWindowType.TYPE_1, "it is bound by a request: see SendRequest.bind");
        MemoryRegion target = binding.region();
        MemorySegment queue = qp.handleForBind(); // first, as a queue pair that only receives has no domain
        checkDomain(target, qp.protectionDomain());
        target.checkUsable();
        try (var call = new VerbsCall(target.lifetime()).explain(MemoryWindow::bindHelp)) {
            MemorySegment bind = call.allocate(ibv_mw_bind.layout());
            ibv_mw_bind.wr_id(bind, wrId);
            ibv_mw_bind.send_flags(bind, signaled ? SIGNALED : 0);
            binding.write(ibv_mw_bind.bind_info(bind));
            var function = pd.context().ops().require(ContextFunction.BIND_MW);
            int errno = Math.abs(call.integer(function, queue, handle, bind));
            if (errno != 0 && errno != Errno.ENOMEM) {
                throw call.failure(function, this + ", " + binding, errno);
            }
            return errno == 0;
        }
    }

    private static String bindHelp(int errno) {
        return errno == Errno.EINVAL ? "the driver may not know ZERO_BASED windows" : "";
    }

    /** Prepares it for a request that names it, which may be posted from now on. */
    void prepare(WindowBinding binding) {
        owner.check();
        requireType(MemoryWindowType.TYPE_2, "it is bound by tryBind");
        MemoryRegion target = binding.region();
        checkDomain(target, pd);
        if (binding.length() == 0) {
            throw new IllegalArgumentException(
                    "a window of type 2 cannot be bound to nothing: invalidate its key (LOCAL_INV) instead");
        }
        if (target != region) {
            var next = new Lifetime("MemoryWindow that it is bound to", lifetime.name(), target.lifetime());
            release();
            region = target;
            hold = next;
        }
    }

    /**
     * Checks a request when it is posted, before C follows pointers to this window and the region. Meanwhile this
     * thread cannot close the window, and no thread can close the region.
     */
    @HotPath
    void checkBind(MemoryRegion target, QueuePair qp) {
        owner.check();
        if (target != region) {
            throw new IllegalStateException("the request binds " + this + " to " + target
                    + ", which it was released from: prepare the request again");
        }
        target.checkUsable();
        if (qp != binder) {
            holdBinder(qp);
        }
    }

    private void holdBinder(QueuePair qp) {
        var next = new Lifetime("MemoryWindow that it has bound", lifetime.name(), qp.lifetime());
        releaseBinder();
        binder = qp;
        binderHold = next;
    }

    /** Checks that a queue pair of a domain may bind this. */
    @HotPath
    void checkBinder(ProtectionDomain of) {
        if (!pd.reaches(of)) {
            throw new IllegalArgumentException(
                    this + " is of another protection domain than the queue pair: allocate one in that");
        }
    }

    private void requireType(MemoryWindowType wanted, String why) {
        if (type != wanted) {
            throw new IllegalStateException(this + " is not of " + wanted + ": " + why);
        }
    }

    private void checkDomain(MemoryRegion target, ProtectionDomain of) {
        if (!pd.reaches(target.protectionDomain()) || !pd.reaches(of)) {
            throw new IllegalArgumentException(this + ", " + target + " and the queue pair are not of the same domain");
        }
    }

    /**
     * Releases the region to which requests were last prepared to bind this, and the queue pair that has bound it, so
     * that you can close them. It changes nothing in the device: invalidate the window first, as Soft-RoCE takes 50
     * seconds to close a queue pair whose window is bound. Requests that bind this are refused until you prepare them
     * again. Does nothing for a window of type 1.
     *
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     */
    public void release() {
        owner.check();
        letGo();
    }

    private void letGo() {
        if (hold != null) {
            hold.close(() -> {});
        }
        region = null;
        hold = null;
        releaseBinder();
    }

    private void releaseBinder() {
        if (binderHold != null) {
            binderHold.close(() -> {});
        }
        binder = null;
        binderHold = null;
    }

    MemorySegment handle() {
        return handle;
    }

    /**
     * Gives the window to another thread: from now on only that one may bind and close it.
     *
     * @param next the new owner
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if this belongs to another thread than the caller
     * @throws IllegalStateException if this is closed
     */
    public void handOver(Thread next) {
        owner.handOver(next);
    }

    /**
     * Deallocates the window: {@code ibv_dealloc_mw}. Its key is no longer valid. Does nothing if it is closed already.
     *
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        owner.close(() -> {
            destroy(pd, handle, lifetime.name());
            letGo();
        });
    }

    /** The class, the device's name, and the type. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
