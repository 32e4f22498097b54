// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.buffers.RegionCache;
import dev.isthmus.buffers.RegionPool;
import dev.isthmus.buffers.RegistrationCache;
import dev.isthmus.buffers.SlicePool;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The pools and caches of verbs. */
final class VerbsPools extends Pools {

    private final MemorySegment lasting = Arena.global().allocate(1 << 17, 4096);

    @Override
    Reason[] transferReasons() {
        return new Reason[] {Reason.LEASE, Reason.ARGUMENT, Reason.KIND, Reason.STATE, Reason.RANGE};
    }

    @Override
    RegionPool pool(Worker w, long sliceBytes, long maxBytes) {
        return RegionPool.create(w.use(ProtectionDomain.class), sliceBytes, maxBytes, MemoryActions.access(w));
    }

    @Override
    RegionCache cache(Worker w, long maxBytes, int most) {
        return RegionCache.create(w.use(ProtectionDomain.class), maxBytes, most, MemoryActions.access(w));
    }

    @Override
    Lent lend(Worker w) {
        return new Lent(lasting, null);
    }

    @Override
    MemorySegment lasting() {
        return lasting;
    }

    @Override
    void look(SlicePool pool, long slice) {
        Objects.requireNonNull(((RegionPool) pool).region(slice).toString());
    }

    @Override
    void look(RegistrationCache cache, long lease) {
        Objects.requireNonNull(((RegionCache) cache).region(lease).toString());
    }

    /** The request belongs to this thread, and to this post alone. */
    @Override
    void transfer(Worker w) {
        w.expected.may(Reason.CLOSED); // the parent, or what the last release has let go
        if (w.chance(2)) {
            Slice slice = w.peek(Slice.class);
            var pool = (RegionPool) slice.pool;
            long length = Math.min(pool.sliceBytes(), w.length());
            if (w.chance(2)) {
                QueuePair qp = w.use(QueuePair.class, Expectation.Use.SENDS);
                w.ignore(
                        qp.tryPost(pool.into(SendRequest.prepare(pool.region(slice.number)), slice.number, 0, length)));
            } else {
                QueuePair qp = w.use(QueuePair.class, Expectation.Use.RECEIVES);
                w.ignore(qp.tryPost(pool.into(ReceiveRequest.prepare(pool.region(slice.number)), slice.number)));
            }
        } else {
            QueuePair qp = w.use(QueuePair.class, Expectation.Use.SENDS);
            Lease lease = w.peek(Lease.class);
            var cache = (RegionCache) lease.cache;
            long length = Math.min(cache.length(lease.number), w.length());
            var request = SendRequest.prepare(cache.region(lease.number));
            w.ignore(qp.tryPost(cache.into(request, lease.number, 0, length)));
        }
    }

    /**
     * What pools and caches have registered may keep a domain from closing; the model does not know how much that is.
     */
    static void mayHold(Worker w, Thing domain) {
        if (domain.object instanceof ProtectionDomain
                && w.countOpen(SlicePool.class) + w.countOpen(RegistrationCache.class) > 0) {
            w.expected.may(Reason.IN_USE);
        }
    }
}
