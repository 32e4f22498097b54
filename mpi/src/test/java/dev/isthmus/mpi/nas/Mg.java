// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi.nas;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * MG, multigrid: V-cycles for Poisson's equation on a periodic cube. Ranks have some planes each of a fine grid, and all have
 * a coarse one as a whole.
 */
final class Mg {

    private static final int ITERATIONS = 4;
    private static final int CHARGES = 10;
    private static final double[] RESIDUAL = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12}; // by the number of indices that differ
    private static final double[] SMOOTHER = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
    private static final double[] RESTRICTION = {0.5, 0.25, 0.125, 0.0625};

    /** A level's numbers, with a border all around. */
    private final class Grid {

        final int n;
        final boolean split;
        final int planes;
        final int first; // plane, of all
        final int row;
        final double[] a;

        Grid(int n) {
            this.n = n;
            split = n / world.size() >= 2;
            planes = split ? n / world.size() : n;
            first = split ? world.rank() * planes : 0;
            row = n + 2;
            a = new double[(planes + 2) * row * row];
        }

        /** Where a number is, of a plane of this rank; -1 and n are the border. */
        int at(int plane, int y, int x) {
            return ((plane + 1) * row + y + 1) * row + x + 1;
        }

        /** Copies the opposite side into each border. */
        void wrap() {
            for (int plane = 0; plane < planes; plane++) {
                for (int y = 0; y < n; y++) {
                    a[at(plane, y, -1)] = a[at(plane, y, n - 1)];
                    a[at(plane, y, n)] = a[at(plane, y, 0)];
                }
                System.arraycopy(a, at(plane, n - 1, -1), a, at(plane, -1, -1), row);
                System.arraycopy(a, at(plane, 0, -1), a, at(plane, n, -1), row);
            }
            int size = row * row;
            if (!split || world.size() == 1) {
                System.arraycopy(a, planes * size, a, 0, size);
                System.arraycopy(a, size, a, (planes + 1) * size, size);
            } else {
                int up = (world.rank() + 1) % world.size();
                int down = (world.rank() + world.size() - 1) % world.size();
                exchange(planes * size, up, 0, down);
                exchange(size, down, (planes + 1) * size, up);
            }
        }

        private void exchange(int from, int dest, int into, int source) {
            int size = row * row;
            Buffer sent = Buffer.of(out, size, Datatype.DOUBLE);
            Buffer got = Buffer.of(in, size, Datatype.DOUBLE);
            MemorySegment.copy(a, from, out, JAVA_DOUBLE, 0, size);
            world.sendrecv(sent, dest, n, got, source, n);
            MemorySegment.copy(in, JAVA_DOUBLE, 0, a, into, size);
        }

        /** Makes a grid that all ranks have whole of the planes that each has computed. */
        void collect(int mine) {
            if (split || world.size() == 1) {
                return;
            }
            int size = mine * row * row;
            MemorySegment.copy(a, at(world.rank() * mine, -1, -1), out, JAVA_DOUBLE, 0, size);
            Buffer all = Buffer.of(in, (long) size * world.size(), Datatype.DOUBLE);
            world.allgather(Buffer.of(out, size, Datatype.DOUBLE), all);
            MemorySegment.copy(in, JAVA_DOUBLE, 0, a, at(0, -1, -1), size * world.size());
        }
    }

    private final Communicator world;
    private final MemorySegment out;
    private final MemorySegment in;
    private final Grid[] u;
    private final Grid[] r;
    private final Grid v;
    private final int top;
    private final double[] one; // of a row
    private final double[] two;
    private final double[] sums;

    private Mg(Communicator world, boolean small, Arena arena) {
        this.world = world;
        top = small ? 5 : 7;
        long plane = ((1L << top) + 2) * ((1L << top) + 2);
        out = arena.allocate(JAVA_DOUBLE, plane * 4);
        in = arena.allocate(JAVA_DOUBLE, plane * 4);
        u = new Grid[top + 1];
        r = new Grid[top + 1];
        for (int level = 1; level <= top; level++) {
            u[level] = new Grid(1 << level);
            r[level] = new Grid(1 << level);
        }
        v = new Grid(1 << top);
        one = new double[v.row];
        two = new double[v.row];
        sums = new double[v.row];
    }

    static boolean verify(Communicator world, boolean small) {
        try (Arena arena = Arena.ofConfined()) {
            return Nas.isNear(small ? 0.5307707005734e-4 : 0.6467329375339e-5, new Mg(world, small, arena).run(), 1e-8);
        }
    }

    private double run() {
        charge();
        Nas.begin(world);
        residual(u[top], v, r[top]);
        for (int i = 0; i < ITERATIONS; i++) {
            cycle();
            residual(u[top], v, r[top]);
        }
        double mine = 0;
        for (int plane = 0; plane < v.planes; plane++) {
            for (int y = 0; y < v.n; y++) {
                for (int x = 0; x < v.n; x++) {
                    double each = r[top].a[v.at(plane, y, x)];
                    mine += each * each;
                }
            }
        }
        out.set(JAVA_DOUBLE, 0, mine);
        world.allreduce(Buffer.IN_PLACE, Buffer.of(out, 1, Datatype.DOUBLE), Operation.SUM);
        Nas.end();
        return Math.sqrt(out.get(JAVA_DOUBLE, 0) / v.n / v.n / v.n);
    }

    /** Of random numbers, one for each point, the ten largest points get a charge of 1, the ten smallest one of -1. */
    private void charge() {
        int points = v.planes * v.n * v.n;
        var random = new NasRandom(314_159_265).skip((long) v.first * v.n * v.n);
        double[] numbers = new double[points];
        for (int i = 0; i < points; i++) {
            numbers[i] = random.next();
        }
        for (int sign = -1; sign <= 1; sign += 2) {
            int order = sign;
            int[] best = IntStream.range(0, points)
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> -order * numbers[i]))
                    .limit(CHARGES)
                    .mapToInt(i -> i)
                    .toArray();
            for (int i = 0; i < CHARGES; i++) {
                out.setAtIndex(JAVA_DOUBLE, i, sign * numbers[best[i]]);
            }
            Buffer all = Buffer.of(in, (long) CHARGES * world.size(), Datatype.DOUBLE);
            world.allgather(Buffer.of(out, CHARGES, Datatype.DOUBLE), all);
            double[] sorted = IntStream.range(0, CHARGES * world.size())
                    .mapToDouble(i -> in.getAtIndex(JAVA_DOUBLE, i))
                    .sorted()
                    .toArray();
            double least = sorted[sorted.length - CHARGES];
            for (int each : best) {
                if (sign * numbers[each] >= least) {
                    v.a[v.at(each / v.n / v.n, each / v.n % v.n, each % v.n)] = sign;
                }
            }
        }
        v.wrap();
    }

    private void cycle() {
        for (int level = top; level > 1; level--) {
            restrict(r[level], r[level - 1]);
        }
        clear(u[1]);
        smooth(r[1], u[1]);
        for (int level = 2; level <= top; level++) {
            if (level < top) {
                clear(u[level]);
            }
            interpolate(u[level - 1], u[level]);
            residual(u[level], level < top ? r[level] : v, r[level]);
            smooth(r[level], u[level]);
        }
    }

    private static void clear(Grid grid) {
        java.util.Arrays.fill(grid.a, 0);
    }

    /** Of each point of a row, the sum of it and its 26 neighbours, each times the weight of how many of its indices differ. */
    private void weigh(Grid grid, int plane, int y, double[] weights) {
        double[] a = grid.a;
        int at = grid.at(plane, y, -1);
        int size = grid.row * grid.row;
        for (int x = 0; x < grid.row; x++) { // those that differ in one of plane and row, and in both
            one[x] = a[at + x - grid.row] + a[at + x + grid.row] + a[at + x - size] + a[at + x + size];
            two[x] = a[at + x - size - grid.row]
                    + a[at + x - size + grid.row]
                    + a[at + x + size - grid.row]
                    + a[at + x + size + grid.row];
        }
        for (int x = 1; x <= grid.n; x++) {
            sums[x - 1] = weights[0] * a[at + x]
                    + weights[1] * (a[at + x - 1] + a[at + x + 1] + one[x])
                    + weights[2] * (two[x] + one[x - 1] + one[x + 1])
                    + weights[3] * (two[x - 1] + two[x + 1]);
        }
    }

    private void residual(Grid of, Grid right, Grid into) {
        for (int plane = 0; plane < of.planes; plane++) {
            for (int y = 0; y < of.n; y++) {
                weigh(of, plane, y, RESIDUAL);
                int at = of.at(plane, y, 0);
                for (int x = 0; x < of.n; x++) {
                    into.a[at + x] = right.a[at + x] - sums[x];
                }
            }
        }
        into.wrap();
    }

    private void smooth(Grid by, Grid grid) {
        for (int plane = 0; plane < grid.planes; plane++) {
            for (int y = 0; y < grid.n; y++) {
                weigh(by, plane, y, SMOOTHER);
                int at = grid.at(plane, y, 0);
                for (int x = 0; x < grid.n; x++) {
                    grid.a[at + x] += sums[x];
                }
            }
        }
        grid.wrap();
    }

    private void restrict(Grid fine, Grid coarse) {
        int planes = fine.planes / 2;
        int offset = coarse.split ? 0 : fine.first / 2;
        for (int plane = 0; plane < planes; plane++) {
            for (int y = 0; y < coarse.n; y++) {
                weigh(fine, 2 * plane + 1, 2 * y + 1, RESTRICTION);
                int at = coarse.at(plane + offset, y, 0);
                for (int x = 0; x < coarse.n; x++) {
                    coarse.a[at + x] = sums[2 * x + 1];
                }
            }
        }
        if (fine.split) {
            coarse.collect(planes);
        }
        coarse.wrap();
    }

    /** Odd points of the fine grid are points of the coarse one; the others are between two, in each direction. */
    private void interpolate(Grid coarse, Grid fine) {
        for (int plane = 0; plane < fine.planes; plane++) {
            int low = Math.floorDiv(fine.first + plane - 1, 2) - coarse.first;
            int high = (fine.first + plane) % 2 == 0 ? low + 1 : low;
            for (int y = 0; y < fine.n; y++) {
                int below = Math.floorDiv(y - 1, 2);
                int above = y % 2 == 0 ? below + 1 : below;
                int a = coarse.at(low, below, -1);
                int b = coarse.at(low, above, -1);
                int c = coarse.at(high, below, -1);
                int d = coarse.at(high, above, -1);
                for (int x = 0; x <= coarse.n; x++) { // what the four rows, or the same ones twice, have on average
                    one[x] = 0.25 * (coarse.a[a + x] + coarse.a[b + x] + coarse.a[c + x] + coarse.a[d + x]);
                }
                int at = fine.at(plane, y, 0);
                for (int x = 0; x < coarse.n; x++) {
                    fine.a[at + 2 * x] += 0.5 * (one[x] + one[x + 1]);
                    fine.a[at + 2 * x + 1] += one[x + 1];
                }
            }
        }
        fine.wrap();
    }
}
