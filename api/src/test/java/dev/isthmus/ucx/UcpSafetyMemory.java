package dev.isthmus.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Registered memory, its keys, and operations on that of peers, for {@link UcpSafetyRun}.
 *
 * <p>Two rules of UCX are kept. Memory that it allocated stays while somebody may write to it, that is, once its key was
 * unpacked; and a key is unpacked by an endpoint that leads to the context which packed it, where the program knows that.
 */
final class UcpSafetyMemory {

    private static final int MOST = 8;
    private static final long MOST_BYTES = 100_000;
    private static final List<UcpAtomic> ATOMICS = List.of(UcpAtomic.values());

    private record Owned(UcpMemory memory, UcpContext context, boolean allocated) {}

    private final MemorySegment buffer;
    private final List<Long> requests;
    private final List<Owned> memories = new CopyOnWriteArrayList<>();
    private final List<UcpRemoteMemory> remotes = new CopyOnWriteArrayList<>();
    private final Set<Owned> lent = new HashSet<>(); // guarded by itself

    UcpSafetyMemory(MemorySegment buffer, List<Long> requests) {
        this.buffer = buffer;
        this.requests = requests;
    }

    /** Makes memory, or asks about it, or closes it. */
    void own(UcpContext context, Random random) {
        if (memories.size() < MOST) {
            long bytes = random.nextInt(10) == 0 ? random.nextInt(3) - 1 : random.nextLong(MOST_BYTES);
            if (random.nextBoolean()) {
                memories.add(new Owned(context.allocate(bytes, UcpMemoryConfig::nonBlocking), context, true));
            } else {
                long begin = random.nextLong(1000) & (random.nextBoolean() ? -8 : -1);
                memories.add(new Owned(context.register(buffer.asSlice(begin, bytes)), context, false));
            }
            return;
        }
        Owned one = UcpSafetyRun.any(memories, random);
        switch (random.nextInt(4)) {
            case 0 -> one.memory().attributes();
            case 1 -> one.memory().advise(random.nextLong(100), random.nextLong(MOST_BYTES), UcpMemoryAdvice.WILL_NEED);
            case 2 -> one.memory().segment().set(ValueLayout.JAVA_BYTE, random.nextLong(MOST_BYTES), (byte) 1);
            default -> close(one);
        }
    }

    private void close(Owned one) {
        synchronized (lent) {
            if (one.allocated() && lent.contains(one)) {
                throw new IllegalStateException("peers may write to it");
            }
            one.memory().close();
        }
        memories.remove(one);
    }

    /** Makes the key of some memory, and unpacks it or a damaged one. */
    void unpack(UcpEndpoint endpoint, UcpWorker peer, Random random) {
        Owned one = UcpSafetyRun.any(memories, random);
        if (peer != null && peer.context() != one.context()) {
            throw new IllegalStateException("the endpoint leads to another context");
        }
        UcpPackedKey key;
        synchronized (lent) { // before anybody can have the key
            key = one.memory().packKey();
            lent.add(one);
        }
        switch (random.nextInt(4)) {
            case 0 -> damage(key, random);
            case 1 -> makeUp(random);
            default -> {
                if (remotes.size() < MOST) {
                    remotes.add(endpoint.unpack(key));
                }
            }
        }
    }

    private static void damage(UcpPackedKey key, Random random) {
        byte[] bytes = key.toByteArray();
        if (random.nextBoolean()) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        } else {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
        }
        UcpPackedKey.of(bytes);
        throw new AssertionError("a damaged key was taken: " + Arrays.toString(bytes));
    }

    private static void makeUp(Random random) {
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        UcpPackedKey.ofRaw(random.nextLong(), random.nextLong(), bytes);
    }

    /** Uses memory of a peer in one way or another. */
    void use(Random random) {
        UcpRemoteMemory remote = UcpSafetyRun.any(remotes, random);
        long bytes = Math.max(1, remote.byteSize());
        long offset = random.nextInt(10) == 0 ? random.nextInt() : random.nextLong(bytes);
        long length =
                random.nextInt(10) == 0 ? random.nextInt() : random.nextLong(bytes - Math.clamp(offset, 0, bytes) + 1);
        switch (random.nextInt(11)) {
            case 0 -> requests.add(remote.put(buffer, random.nextInt(100), length, offset));
            case 1 -> requests.add(remote.get(buffer, random.nextInt(100), length, offset));
            case 2 -> remote.putImplicit(buffer, 0, length, offset);
            case 3 -> remote.getImplicit(buffer, 0, length, offset);
            case 4 -> requests.add(remote.put(UcpSafetyRun.any(memories, random).memory(), 0, length, offset));
            case 5 -> requests.add(remote.get(UcpSafetyRun.any(memories, random).memory(), 0, length, offset));
            case 6 -> {
                var put = remote.putAsync(buffer.asSlice(0, length), offset);
                put.cancel(random.nextBoolean());
            }
            case 7 -> {
                remote.pointer().ifPresent(memory -> memory.get(ValueLayout.JAVA_BYTE, offset));
                remote.compareKey(UcpSafetyRun.any(remotes, random));
            }
            case 8 -> {
                remote.close();
                remotes.remove(remote);
            }
            default -> change(remote.atomics(), random.nextInt(5) == 0 ? offset : offset & -8, random);
        }
    }

    private void change(UcpRemoteAtomics atomics, long offset, Random random) {
        UcpAtomic operation = ATOMICS.get(random.nextInt(ATOMICS.size()));
        switch (random.nextInt(7)) {
            case 0 -> requests.add(atomics.apply64(operation, offset, random.nextLong()));
            case 1 -> atomics.post64(operation, offset, random.nextLong());
            case 2 -> requests.add(atomics.fetch64(operation, offset, random.nextLong()));
            case 3 -> requests.add(atomics.compareAndSwap64(offset, random.nextLong(), 7));
            case 4 -> requests.add(atomics.fetch32(operation, offset, random.nextInt()));
            case 5 -> atomics.post32(operation, offset, random.nextInt());
            default -> requests.add(atomics.compareAndSwap32(offset, random.nextInt(), 7));
        }
    }

    /** What an endpoint waits for with its close. */
    List<AutoCloseable> remotes() {
        return new ArrayList<>(remotes);
    }

    /** What a context waits for with its close. */
    List<AutoCloseable> memories() {
        return memories.stream().<AutoCloseable>map(Owned::memory).toList();
    }
}
