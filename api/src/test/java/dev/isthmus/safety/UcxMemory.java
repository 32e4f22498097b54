// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.ucx.UcpAtomic;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpMemoryAdvice;
import dev.isthmus.ucx.UcpMemoryConfig;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpRemoteAtomics;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Registered memory, its keys, and operations on that of peers.
 *
 * <p>Two rules of UCX are kept. Memory that it allocated stays while somebody may write to it, that is, once its key was
 * unpacked; and a key is unpacked by an endpoint that leads to the context which packed it, where the program knows that.
 */
final class UcxMemory {

    private static final long MOST_BYTES = 100_000;
    private static final List<UcpAtomic> ATOMICS = List.of(UcpAtomic.values());

    private final UcxBuffers buffers;
    private final UcxPeers peers;
    private final Map<UcpMemory, UcpContext> contexts = new ConcurrentHashMap<>();
    private final Set<UcpMemory> lent = new HashSet<>(); // guarded by itself

    UcxMemory(UcxBuffers buffers, UcxPeers peers) {
        this.buffers = buffers;
        this.peers = peers;
    }

    List<Action> all() {
        return List.of(
                action("register", 1, this::register, Reason.ARGUMENT, Reason.RANGE, Reason.DEVICE),
                action(
                        "registered memory",
                        1,
                        this::own,
                        Reason.KIND,
                        Reason.RANGE,
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.IN_USE),
                action(
                        "unpack a key",
                        1,
                        this::unpack,
                        Reason.STATE,
                        Reason.KIND,
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.FAILED,
                        Reason.IN_CALLBACK),
                action("damaged key", 1, this::damage, Reason.KIND),
                action("memory of a peer", 3, this::use, UcxMessages.TRANSFER),
                action("atomic", 2, this::change, UcxMessages.TRANSFER));
    }

    private void register(Worker w) {
        if (w.countOpen(UcpMemory.class) >= UcxPeers.MOST) {
            throw new Worker.NothingThere(); // but what is closed first
        }
        UcpContext context = w.use(UcpContext.class);
        long bytes = w.chance(10) ? w.random.nextInt(3) - 1 : w.random.nextLong(MOST_BYTES);
        UcpMemory memory;
        if (w.chance(2)) {
            memory = context.allocate(bytes, UcpMemoryConfig::nonBlocking);
        } else {
            long begin = w.random.nextLong(1000) & (w.chance(2) ? -8 : -1);
            memory = context.register(buffers.lasting.asSlice(begin, bytes));
        }
        contexts.put(memory, context);
        w.made(UcpMemory.class, memory, context);
    }

    private void own(Worker w) throws Exception {
        switch (w.random.nextInt(4)) {
            case 0 -> w.use(UcpMemory.class).attributes();
            case 1 ->
                w.use(UcpMemory.class)
                        .advise(w.random.nextLong(100), w.random.nextLong(MOST_BYTES), UcpMemoryAdvice.WILL_NEED);
            case 2 ->
                w.use(UcpMemory.class).segment().set(ValueLayout.JAVA_BYTE, w.random.nextLong(MOST_BYTES), (byte) 1);
            default -> close(w);
        }
    }

    private void close(Worker w) throws Exception {
        Thing thing = w.pick(UcpMemory.class);
        synchronized (lent) {
            if (lent.contains((UcpMemory) thing.object)) {
                throw new Worker.NothingThere(); // peers may write to it
            }
            w.close(thing);
        }
        contexts.remove((UcpMemory) thing.object);
    }

    /** Packs the key of some memory, and unpacks it. */
    private void unpack(Worker w) {
        UcpMemory memory = w.use(UcpMemory.class);
        UcpEndpoint endpoint = w.use(UcpEndpoint.class);
        if (peers.leadsElsewhere(endpoint, contexts.get(memory))) {
            throw new Worker.NothingThere(); // the endpoint leads to another context
        }
        if (w.countOpen(UcpRemoteMemory.class) >= UcxPeers.MOST) {
            throw new Worker.NothingThere(); // but what is closed first
        }
        UcpPackedKey key;
        synchronized (lent) { // before anybody can have the key
            key = memory.packKey();
            lent.add(memory);
        }
        w.made(UcpRemoteMemory.class, endpoint.unpack(key), endpoint);
    }

    private void damage(Worker w) {
        byte[] bytes = w.use(UcpMemory.class).packKey().toByteArray();
        if (w.chance(2)) {
            bytes[w.random.nextInt(bytes.length)] ^= (byte) (1 << w.random.nextInt(8));
        } else {
            bytes = Arrays.copyOf(bytes, w.random.nextInt(bytes.length));
        }
        w.expected.must(Reason.ARGUMENT);
        UcpPackedKey.of(bytes);
    }

    /** Uses memory of a peer in one way or another. */
    private void use(Worker w) throws Exception {
        Thing thing = w.pick(UcpRemoteMemory.class);
        if (w.chance(10)) {
            w.close(thing);
            return;
        }
        UcpRemoteMemory remote = w.useThis(UcpRemoteMemory.class, thing);
        long bytes = Math.max(1, remote.byteSize());
        long offset = w.chance(10) ? w.random.nextInt() : w.random.nextLong(bytes);
        long length = w.chance(10) ? w.random.nextInt() : w.random.nextLong(bytes - Math.clamp(offset, 0, bytes) + 1);
        switch (w.random.nextInt(8)) {
            case 0 -> {
                Thing buffer = buffers.any(w);
                long at = w.random.nextInt(100);
                buffers.began(thing, buffer, remote.put(UcxBuffers.segment(buffer), at, length, offset));
            }
            case 1 -> {
                Thing buffer = buffers.any(w);
                long at = w.random.nextInt(100);
                buffers.began(thing, buffer, remote.get(UcxBuffers.segment(buffer), at, length, offset));
            }
            case 2 -> remote.putImplicit(buffers.lasting, 0, length, offset);
            case 3 -> remote.getImplicit(buffers.lasting, 0, length, offset);
            case 4 -> buffers.began(thing, null, remote.put(w.use(UcpMemory.class), 0, length, offset));
            case 5 -> buffers.began(thing, null, remote.get(w.use(UcpMemory.class), 0, length, offset));
            case 6 -> remote.pointer().ifPresent(there -> there.get(ValueLayout.JAVA_BYTE, offset));
            default -> remote.compareKey(w.use(UcpRemoteMemory.class));
        }
    }

    private void change(Worker w) {
        Thing thing = w.pick(UcpRemoteMemory.class);
        UcpRemoteMemory remote = w.useThis(UcpRemoteMemory.class, thing);
        UcpRemoteAtomics atomics = remote.atomics();
        long any = w.random.nextLong(Math.max(1, remote.byteSize()));
        long offset = w.chance(5) ? any : any & -8;
        UcpAtomic operation = w.any(ATOMICS);
        long userData = w.random.nextLong();
        switch (w.random.nextInt(9)) {
            case 0 -> buffers.began(thing, null, atomics.apply64(operation, offset, w.random.nextLong()));
            case 1 -> atomics.post64(operation, offset, w.random.nextLong());
            case 2 -> buffers.began(thing, null, atomics.fetch64(operation, offset, w.random.nextLong()));
            case 3 -> buffers.began(thing, null, atomics.compareAndSwap64(offset, w.random.nextLong(), 7));
            case 4 -> buffers.began(thing, null, atomics.fetch32(operation, offset, w.random.nextInt()));
            case 5 -> atomics.post32(operation, offset, w.random.nextInt());
            case 6 -> w.ignore(atomics.apply32(operation, offset, w.random.nextInt(), userData));
            case 7 -> w.ignore(atomics.fetch64(operation, offset, w.random.nextLong(), userData));
            default -> buffers.began(thing, null, atomics.compareAndSwap32(offset, w.random.nextInt(), 7));
        }
    }
}
