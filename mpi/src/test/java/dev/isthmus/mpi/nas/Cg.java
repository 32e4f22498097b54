// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi.nas;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.isthmus.mpi.Blocks;
import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** CG, conjugate gradients: the smallest eigenvalue of a sparse random matrix, whose rows are divided among the ranks. */
final class Cg {

    private static final int ITERATIONS = 15;
    private static final int STEPS = 25;
    private static final double CONDITION = 0.1;

    private final Communicator world;
    private final int n;
    private final int nonZeros;
    private final double shift;
    private final int first;
    private final int rows; // of this rank
    private int[] rowStarts;
    private int[] columns;
    private double[] values;
    private final Buffer part;
    private final Blocks whole;
    private final MemorySegment all;
    private final MemorySegment sum;

    private Cg(Communicator world, boolean small, Arena arena) {
        this.world = world;
        n = small ? 1400 : 7000;
        nonZeros = small ? 7 : 8;
        shift = small ? 10 : 12;
        long[] counts = new long[world.size()];
        for (int rank = 0; rank < counts.length; rank++) {
            counts[rank] = (long) start(rank + 1) - start(rank);
        }
        first = start(world.rank());
        rows = (int) counts[world.rank()];
        part = Buffer.of(arena.allocate(JAVA_DOUBLE, rows), Datatype.DOUBLE);
        all = arena.allocate(JAVA_DOUBLE, n);
        whole = Blocks.of(all, Datatype.DOUBLE, counts);
        sum = arena.allocate(JAVA_DOUBLE);
        makeMatrix();
    }

    private int start(int rank) {
        return (int) ((long) n * rank / world.size());
    }

    static boolean verify(Communicator world, boolean small) {
        try (Arena arena = Arena.ofConfined()) {
            return Nas.isNear(small ? 8.5971775078648 : 10.362595087124, new Cg(world, small, arena).run(), 1e-10);
        }
    }

    /** A sum of outer products of sparse random vectors; all ranks draw all of them, and keep their rows. */
    private void makeMatrix() {
        var random = new NasRandom(314_159_265);
        random.next();
        var matrix = new TreeMap<Integer, Map<Integer, Double>>();
        double size = 1;
        double ratio = Math.pow(CONDITION, 1.0 / n);
        int power = Integer.highestOneBit(n - 1) * 2;
        for (int i = 0; i < n; i++) {
            Map<Integer, Double> vector = randomVector(random, power);
            vector.put(i, 0.5);
            for (var column : vector.entrySet()) {
                for (var row : vector.entrySet()) {
                    add(matrix, row.getKey(), column.getKey(), size * row.getValue() * column.getValue());
                }
            }
            size *= ratio;
            add(matrix, i, i, CONDITION - shift);
        }
        rowStarts = new int[rows + 1];
        columns = new int[matrix.values().stream().mapToInt(Map::size).sum()];
        values = new double[columns.length];
        int next = 0;
        for (int row = 0; row < rows; row++) {
            for (var element : matrix.get(row).entrySet()) {
                columns[next] = element.getKey();
                values[next++] = element.getValue();
            }
            rowStarts[row + 1] = next;
        }
    }

    private Map<Integer, Double> randomVector(NasRandom random, int power) {
        var vector = new TreeMap<Integer, Double>();
        while (vector.size() < nonZeros) {
            double value = random.next();
            int index = (int) (random.next() * power);
            if (index < n) {
                vector.putIfAbsent(index, value);
            }
        }
        return vector;
    }

    private void add(Map<Integer, Map<Integer, Double>> matrix, int row, int column, double value) {
        if (row >= first && row < first + rows) {
            matrix.computeIfAbsent(row - first, key -> new TreeMap<>()).merge(column, value, Double::sum);
        }
    }

    private double dot(double[] a, double[] b) {
        double mine = 0;
        for (int i = 0; i < rows; i++) {
            mine += a[i] * b[i];
        }
        sum.set(JAVA_DOUBLE, 0, mine);
        world.allreduce(Buffer.IN_PLACE, Buffer.of(sum, Datatype.DOUBLE), Operation.SUM);
        return sum.get(JAVA_DOUBLE, 0);
    }

    /** Multiplies the matrix by a vector of which each rank has a part. */
    private void multiply(double[] vector, double[] result) {
        MemorySegment.copy(vector, 0, part.segment(), JAVA_DOUBLE, 0, rows);
        world.allgatherv(part, whole);
        double[] complete = all.toArray(JAVA_DOUBLE);
        for (int row = 0; row < rows; row++) {
            double product = 0;
            for (int i = rowStarts[row]; i < rowStarts[row + 1]; i++) {
                product += values[i] * complete[columns[i]];
            }
            result[row] = product;
        }
    }

    private double[] solve(double[] x) {
        double[] z = new double[rows];
        double[] r = x.clone();
        double[] p = x.clone();
        double[] q = new double[rows];
        double rho = dot(r, r);
        for (int step = 0; step < STEPS; step++) {
            multiply(p, q);
            double alpha = rho / dot(p, q);
            for (int i = 0; i < rows; i++) {
                z[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            double before = rho;
            rho = dot(r, r);
            for (int i = 0; i < rows; i++) {
                p[i] = r[i] + rho / before * p[i];
            }
        }
        return z;
    }

    private double run() {
        double[] x = new double[rows];
        Arrays.fill(x, 1);
        Nas.begin(world);
        double zeta = 0;
        for (int i = 0; i < ITERATIONS; i++) {
            double[] z = solve(x);
            zeta = shift + 1 / dot(x, z);
            double length = Math.sqrt(dot(z, z));
            for (int k = 0; k < rows; k++) {
                x[k] = z[k] / length;
            }
        }
        Nas.end();
        return zeta;
    }
}
