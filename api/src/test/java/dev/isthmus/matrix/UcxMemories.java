// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.buffers.UcpMemoryCache;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpExportedMemory;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpMemoryConfig;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Registered memory and keys to it. Each is created when it is first asked for. */
final class UcxMemories {

    private final UcpContext context;
    private final UcxPeers peers;
    private final UcxBytes bytes;
    private final UcxResources resources;
    private UcpMemoryConfig config;
    private UcpMemory registered;
    private UcpPackedKey key;
    private UcpExportedMemory exported;
    private UcpRemoteMemory remote;
    private UcpRemoteMemory otherRemote;
    private UcpMemoryPool pool;
    private final List<Long> slices = new ArrayList<>();
    private UcpMemoryCache cache;
    private final List<Long> leases = new ArrayList<>();

    UcxMemories(UcpContext context, UcxPeers peers, UcxBytes bytes, UcxResources resources) {
        this.context = context;
        this.peers = peers;
        this.bytes = bytes;
        this.resources = resources;
    }

    UcpMemory registered() {
        if (registered == null) {
            registered = context.register(bytes.filled(2 * UcxBytes.LONG, UcxBytes.X), c -> config = c);
        }
        return registered;
    }

    UcpMemoryConfig config() {
        registered();
        return config;
    }

    UcpExportedMemory exported() {
        if (exported == null) {
            exported = registered().export();
        }
        return exported;
    }

    UcpPackedKey key() {
        if (key == null) {
            key = registered().packKey();
        }
        return key;
    }

    UcpRemoteMemory remote() {
        if (remote == null) {
            remote = resources.add(peers.one.unpack(key()));
        }
        return remote;
    }

    UcpRemoteMemory otherRemote() {
        if (otherRemote == null) {
            otherRemote = resources.add(peers.two.unpack(key()));
        }
        return otherRemote;
    }

    /** A get that ends only if the peer progresses. */
    void getBusily() {
        remote().getImplicit(bytes.source, 0, 2L * UcxBytes.LONG, 0);
    }

    UcpMemoryPool pool() {
        if (pool == null) {
            pool = resources.add(UcpMemoryPool.create(context, 4096, 1 << 20));
            slices.add(pool.acquire());
        }
        return pool;
    }

    long slice() {
        pool();
        return slices.getFirst();
    }

    UcpMemoryCache cache() {
        if (cache == null) {
            cache = resources.add(UcpMemoryCache.create(context, 1 << 20, 8));
            leases.add(cache.acquire(bytes.source.asSlice(0, UcxBytes.SHORT)));
        }
        return cache;
    }

    long lease() {
        cache();
        return leases.getFirst();
    }

    /** A call may have got a slice, or a lease, that is to be given back. */
    void returned(Call call, Object result) {
        String name = call.executable().getName();
        if (call.type() == UcpMemoryPool.class && (name.endsWith("cquire") || name.equals("retain"))) {
            slices.add(name.equals("retain") ? slices.getFirst() : (Long) result);
        } else if (call.type() == UcpMemoryCache.class && name.endsWith("cquire")) {
            leases.add((Long) result);
        }
    }

    /** Gives back slices and leases. */
    void giveBack() {
        while (pool != null && pool.slicesOut() > 0) {
            pool.release(slices.removeLast());
        }
        while (cache != null && cache.leasesOut() > 0) {
            cache.release(leases.removeLast());
        }
    }

    /** The memory that is registered: null if there is none. */
    List<AutoCloseable> registrations() {
        return Arrays.asList(registered, pool, cache);
    }
}
