// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi.nas;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * FT: a differential equation by Fourier transforms in three dimensions. Each rank has some planes of z, and for the transform
 * along z, after an alltoall, some planes of x. Complex numbers are pairs in an array.
 */
final class Ft {

    private static final int STEPS = 6;
    private static final double[][] SMALL = {
        {554.6087004964, 484.5363331978},
        {554.6385409189, 486.5304269511},
        {554.6148406171, 488.3910722336},
        {554.5423607415, 490.1273169046},
        {554.4255039624, 491.7475857993},
        {554.2683411902, 493.2597244941}
    };
    private static final double[][] W = {
        {567.3612178944, 529.3246849175},
        {563.1436885271, 528.2149986629},
        {559.4024089970, 527.0996558037},
        {556.0698047020, 526.0027904925},
        {553.0898991250, 524.9400845633},
        {550.4159734538, 523.9212247086}
    };

    private final Communicator world;
    private final int nx;
    private final int ny;
    private final int nz;
    private final int planes; // of z on this rank
    private final int width; // of x on this rank, after the exchange
    private final Buffer out;
    private final Buffer in;
    private final MemorySegment sum;
    private final double[] cosines; // of parts of the circle
    private final double[] sines;
    private final double[] line;

    private Ft(Communicator world, boolean small, Arena arena) {
        this.world = world;
        nx = small ? 64 : 128;
        ny = small ? 64 : 128;
        nz = small ? 64 : 32;
        planes = nz / world.size();
        width = nx / world.size();
        long numbers = 2L * planes * ny * nx;
        out = Buffer.of(arena.allocate(JAVA_DOUBLE, numbers), Datatype.DOUBLE);
        in = Buffer.of(arena.allocate(JAVA_DOUBLE, numbers), Datatype.DOUBLE);
        sum = arena.allocate(JAVA_DOUBLE, 2);
        int longest = Math.max(nx, Math.max(ny, nz));
        cosines = new double[longest];
        sines = new double[longest];
        line = new double[2 * longest];
        for (int i = 0; i < longest; i++) {
            cosines[i] = Math.cos(2 * Math.PI * i / longest);
            sines[i] = Math.sin(2 * Math.PI * i / longest);
        }
    }

    static boolean verify(Communicator world, boolean small) {
        try (Arena arena = Arena.ofConfined()) {
            return new Ft(world, small, arena).run(small ? SMALL : W);
        }
    }

    private boolean run(double[][] expected) {
        Nas.begin(world);
        double[] wave = forward(initial());
        double[] decay = decay();
        boolean verified = true;
        for (int step = 0; step < STEPS; step++) {
            for (int i = 0; i < decay.length; i++) {
                wave[2 * i] *= decay[i];
                wave[2 * i + 1] *= decay[i];
            }
            double[] got = checksum(backward(wave.clone()));
            verified &= Nas.isNear(expected[step][0], got[0], 1e-12) && Nas.isNear(expected[step][1], got[1], 1e-12);
        }
        Nas.end();
        return verified;
    }

    private double[] initial() {
        double[] u = new double[2 * planes * ny * nx];
        var random = new NasRandom(314_159_265).skip((long) u.length * world.rank());
        for (int i = 0; i < u.length; i++) {
            u[i] = random.next();
        }
        return u;
    }

    private static double squared(int index, int n) {
        int k = (index + n / 2) % n - n / 2;
        return (double) k * k;
    }

    private double[] decay() {
        double[] decay = new double[nz * ny * width];
        for (int z = 0, i = 0; z < nz; z++) {
            for (int y = 0; y < ny; y++) {
                for (int x = world.rank() * width; x < (world.rank() + 1) * width; x++, i++) {
                    double k = squared(x, nx) + squared(y, ny) + squared(z, nz);
                    decay[i] = Math.exp(-4e-6 * Math.PI * Math.PI * k);
                }
            }
        }
        return decay;
    }

    private double[] checksum(double[] u) {
        double real = 0;
        double imaginary = 0;
        for (int j = 1; j <= 1024; j++) {
            int z = 5 * j % nz - world.rank() * planes;
            if (z >= 0 && z < planes) {
                int at = 2 * ((z * ny + 3 * j % ny) * nx + j % nx);
                real += u[at];
                imaginary += u[at + 1];
            }
        }
        double points = (double) nx * ny * nz;
        sum.setAtIndex(JAVA_DOUBLE, 0, real / points);
        sum.setAtIndex(JAVA_DOUBLE, 1, imaginary / points);
        world.allreduce(Buffer.IN_PLACE, Buffer.of(sum, Datatype.DOUBLE), Operation.SUM);
        return sum.toArray(JAVA_DOUBLE);
    }

    /** Transforms planes of z along x and y, then planes of x along z. */
    private double[] forward(double[] u) {
        for (int z = 0; z < planes; z++) {
            plane(u, z, 1);
        }
        // For each rank its x of all y of all planes here.
        for (int rank = 0, to = 0; rank < world.size(); rank++) {
            for (int row = 0; row < planes * ny; row++, to += 2 * width) {
                MemorySegment.copy(u, 2 * (row * nx + rank * width), out.segment(), JAVA_DOUBLE, 8L * to, 2 * width);
            }
        }
        world.alltoall(out, in);
        double[] wave = in.segment().toArray(JAVA_DOUBLE);
        columns(wave, 1);
        return wave;
    }

    private double[] backward(double[] wave) {
        columns(wave, -1);
        MemorySegment.copy(wave, 0, out.segment(), JAVA_DOUBLE, 0, wave.length);
        world.alltoall(out, in);
        double[] u = new double[wave.length];
        for (int rank = 0, from = 0; rank < world.size(); rank++) {
            for (int row = 0; row < planes * ny; row++, from += 2 * width) {
                MemorySegment.copy(in.segment(), JAVA_DOUBLE, 8L * from, u, 2 * (row * nx + rank * width), 2 * width);
            }
        }
        for (int z = 0; z < planes; z++) {
            plane(u, z, -1);
        }
        return u;
    }

    private void plane(double[] u, int z, int sign) {
        for (int y = 0; y < ny; y++) {
            transform(u, (z * ny + y) * nx, 1, nx, sign);
        }
        for (int x = 0; x < nx; x++) {
            transform(u, z * ny * nx + x, nx, ny, sign);
        }
    }

    private void columns(double[] wave, int sign) {
        for (int column = 0; column < ny * width; column++) {
            transform(wave, column, ny * width, nz, sign);
        }
    }

    /** A transform in place of n numbers that are so far apart: bits reversed, then butterflies. */
    private void transform(double[] u, int first, int stride, int n, int sign) {
        double[] a = line;
        int step = cosines.length / n;
        int bits = Integer.numberOfLeadingZeros(n) + 1;
        for (int i = 0; i < n; i++) {
            int to = 2 * (Integer.reverse(i) >>> bits);
            a[to] = u[2 * (first + i * stride)];
            a[to + 1] = u[2 * (first + i * stride) + 1];
        }
        for (int half = 1; half < n; half *= 2) {
            for (int k = 0; k < half; k++) {
                int angle = k * (n / 2 / half) * step;
                double real = cosines[angle];
                double imaginary = sign * sines[angle];
                for (int i = k; i < n; i += 2 * half) {
                    int low = 2 * i;
                    int high = 2 * (i + half);
                    double r = real * a[high] - imaginary * a[high + 1];
                    double s = real * a[high + 1] + imaginary * a[high];
                    a[high] = a[low] - r;
                    a[high + 1] = a[low + 1] - s;
                    a[low] += r;
                    a[low + 1] += s;
                }
            }
        }
        for (int i = 0; i < n; i++) {
            u[2 * (first + i * stride)] = a[2 * i];
            u[2 * (first + i * stride) + 1] = a[2 * i + 1];
        }
    }
}
