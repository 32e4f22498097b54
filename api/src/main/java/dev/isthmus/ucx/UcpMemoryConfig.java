// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.Filling;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.util.Objects;

/**
 * The parameters of a {@link UcpMemory}: {@code ucp_mem_map_params_t}. Confined to one thread, inside {@link
 * UcpContext#allocate(long, java.util.function.Consumer)} and {@link
 * UcpContext#register(java.lang.foreign.MemorySegment, java.util.function.Consumer)}.
 */
public final class UcpMemoryConfig {

    private static final int NONBLOCK = 1; // UCP_MEM_MAP_NONBLOCK
    private static final int SYMMETRIC_RKEY = 1 << 3; // since UCX 1.16
    private static final int LOCK = 1 << 4; // since UCX 1.18
    private static final int SYMMETRIC_RKEY_SINCE = 16;
    private static final int LOCK_SINCE = 18;

    final Filling filling = new Filling();
    private int flags;
    private UcpMemoryType memoryType;
    private long fixedAddress;

    UcpMemoryConfig() {}

    /**
     * Sets where the memory is, or where to allocate it. Default: main memory if it is allocated; UCX detects the type
     * of memory that is registered.
     *
     * @param type one of {@link UcpContextAttributes#memoryTypes()}
     * @return this
     */
    public UcpMemoryConfig memoryType(UcpMemoryType type) {
        filling.check();
        memoryType = Objects.requireNonNull(type, "type");
        return this;
    }

    /**
     * Lets later uses bring pages into memory, if the device can: {@code UCP_MEM_MAP_NONBLOCK}. No effect otherwise.
     *
     * @return this
     */
    public UcpMemoryConfig nonBlocking() {
        filling.check();
        flags |= NONBLOCK;
        return this;
    }

    /**
     * Allocates at an address: {@code UCP_MEM_MAP_FIXED}. Only for {@link UcpContext#allocate(long,
     * java.util.function.Consumer)}. UCX would replace whatever is there; Isthmus refuses if something is.
     *
     * @param address in the process, a multiple of the page size
     * @return this
     */
    public UcpMemoryConfig fixedAddress(long address) {
        filling.check();
        fixedAddress = address;
        return this;
    }

    /**
     * Asks for keys that are the same in each process that allocates in the same order:
     * {@code UCP_MEM_MAP_SYMMETRIC_RKEY}; UCX 1.16 and later. See {@link UcpRemoteMemory#compareKey}.
     *
     * @return this
     * @throws dev.isthmus.RdmaUnavailableException if the loaded UCX is older
     */
    public UcpMemoryConfig symmetricKey() {
        filling.check();
        UcxLibrary.require(SYMMETRIC_RKEY_SINCE, "a symmetric remote key");
        flags |= SYMMETRIC_RKEY;
        return this;
    }

    /**
     * Keeps the pages in memory: {@code UCP_MEM_MAP_LOCK}; UCX 1.18 and later. Not together with {@link #nonBlocking()}.
     *
     * @return this
     * @throws dev.isthmus.RdmaUnavailableException if the loaded UCX is older
     */
    public UcpMemoryConfig locked() {
        filling.check();
        UcxLibrary.require(LOCK_SINCE, "locking memory");
        flags |= LOCK;
        return this;
    }

    int flags() {
        if ((flags & (NONBLOCK | LOCK)) == (NONBLOCK | LOCK)) {
            throw new IllegalArgumentException("memory is either locked or non-blocking");
        }
        return flags;
    }

    /** The memory type; null if UCX is to find out. */
    UcpMemoryType memoryType() {
        return memoryType;
    }

    /** The fixed address; 0 if there is none. */
    long fixedAddress() {
        return fixedAddress;
    }
}
