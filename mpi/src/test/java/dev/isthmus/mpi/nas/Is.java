// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi.nas;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.mpi.Blocks;
import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** IS, integer sort: each rank gets the keys of a range from all others, and ranks them by counting. */
final class Is {

    private static final int ITERATIONS = 10;
    private static final int[] SMALL_INDEX = {48427, 17148, 23627, 62548, 4431};
    private static final int[] SMALL_RANK = {0, 18, 346, 64917, 65463};
    private static final int[] W_INDEX = {357_773, 934_767, 875_723, 898_999, 404_505};
    private static final int[] W_RANK = {1249, 11_698, 1_039_987, 1_043_896, 1_048_018};

    private final Communicator world;
    private final boolean small;
    private final int keys;
    private final int largest;
    private final int first; // of this rank's keys, by their number
    private final int[] own;
    private final int low; // of this rank's range
    private final int[] owners; // of each key the rank that has it
    private int[] counts; // of the keys from low on
    private long before; // how many keys are below low

    private Is(Communicator world, boolean small) {
        this.world = world;
        this.small = small;
        keys = 1 << (small ? 16 : 20);
        largest = 1 << (small ? 11 : 16);
        first = start(keys, world.rank());
        own = new int[start(keys, world.rank() + 1) - first];
        low = start(largest, world.rank());
        counts = new int[start(largest, world.rank() + 1) - low];
        owners = new int[largest];
        for (int rank = 0; rank < world.size(); rank++) {
            Arrays.fill(owners, start(largest, rank), start(largest, rank + 1), rank);
        }
        int quarter = largest / 4;
        var random = new NasRandom(314_159_265).skip(4L * first);
        for (int i = 0; i < own.length; i++) {
            double sum = random.next() + random.next() + random.next() + random.next();
            own[i] = (int) (quarter * sum);
        }
    }

    private int start(int all, int rank) {
        return (int) ((long) all * rank / world.size());
    }

    static boolean verify(Communicator world, boolean small) {
        return new Is(world, small).run();
    }

    private boolean run() {
        boolean verified = true;
        Nas.begin(world);
        for (int i = 1; i <= ITERATIONS; i++) {
            if (first == 0) {
                own[i] = i;
                own[i + ITERATIONS] = largest - i;
            }
            try (Arena arena = Arena.ofConfined()) {
                rank(arena);
                verified &= isVerified(i, arena);
            }
        }
        Nas.end();
        return verified;
    }

    private void rank(Arena arena) {
        int ranks = world.size();
        long[] out = new long[ranks];
        for (int key : own) {
            out[owners[key]]++;
        }
        MemorySegment sent = arena.allocateFrom(JAVA_LONG, out);
        MemorySegment got = arena.allocate(JAVA_LONG, ranks);
        world.alltoall(Buffer.of(sent, Datatype.LONG), Buffer.of(got, Datatype.LONG));
        long[] in = got.toArray(JAVA_LONG);
        long[] at = new long[ranks];
        long mine = in[0];
        for (int i = 1; i < ranks; i++) {
            at[i] = at[i - 1] + out[i - 1];
            mine += in[i];
        }
        MemorySegment sorted = arena.allocate(JAVA_INT, own.length);
        for (int key : own) {
            sorted.setAtIndex(JAVA_INT, at[owners[key]]++, key);
        }
        MemorySegment keysOfRange = arena.allocate(JAVA_INT, Math.max(mine, 1));
        world.alltoallv(Blocks.of(sorted, Datatype.INT, out), Blocks.of(keysOfRange, Datatype.INT, in));
        counts = new int[counts.length];
        for (long i = 0; i < mine; i++) {
            counts[keysOfRange.getAtIndex(JAVA_INT, i) - low]++;
        }
        MemorySegment sum = arena.allocateFrom(JAVA_LONG, mine);
        MemorySegment below = arena.allocate(JAVA_LONG);
        world.exscan(Buffer.of(sum, Datatype.LONG), Buffer.of(below, Datatype.LONG), Operation.SUM);
        before = world.rank() == 0 ? 0 : below.get(JAVA_LONG, 0);
    }

    /** Compares the ranks of five keys with those that NAS has published. */
    private boolean isVerified(int iteration, Arena arena) {
        int[] indices = small ? SMALL_INDEX : W_INDEX;
        MemorySegment five = arena.allocate(JAVA_LONG, indices.length);
        for (int i = 0; i < indices.length; i++) {
            int index = indices[i] - first;
            if (index >= 0 && index < own.length) {
                five.setAtIndex(JAVA_LONG, i, own[index]);
            }
        }
        Buffer values = Buffer.of(five, Datatype.LONG);
        world.allreduce(Buffer.IN_PLACE, values, Operation.SUM);
        for (int i = 0; i < indices.length; i++) {
            int key = (int) five.getAtIndex(JAVA_LONG, i);
            long rank = 0;
            if (owners[key] == world.rank()) {
                rank = before;
                for (int lower = low; lower < key; lower++) {
                    rank += counts[lower - low];
                }
            }
            five.setAtIndex(JAVA_LONG, i, rank);
        }
        world.allreduce(Buffer.IN_PLACE, values, Operation.SUM);
        boolean verified = true;
        for (int i = 0; i < indices.length; i++) {
            verified &= five.getAtIndex(JAVA_LONG, i) == expected(i, iteration);
        }
        return verified;
    }

    private int expected(int i, int iteration) {
        if (small) {
            return SMALL_RANK[i] + (i <= 2 ? iteration : -iteration);
        }
        return W_RANK[i] + (i < 2 ? iteration - 2 : -iteration);
    }
}
