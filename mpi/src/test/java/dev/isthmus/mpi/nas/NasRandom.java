// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi.nas;

/** The random numbers of the NAS benchmarks: x' = 5^13 x mod 2^46, from 0 to 1. */
final class NasRandom {

    private static final long FACTOR = 1_220_703_125;
    private static final long MASK = (1L << 46) - 1;

    private long x;

    NasRandom(long seed) {
        x = seed;
    }

    double next() {
        x = FACTOR * x & MASK; // what overflows is beyond the 46 bits
        return x * 0x1p-46;
    }

    /** Leaves out some numbers. */
    NasRandom skip(long numbers) {
        long power = FACTOR;
        for (long left = numbers; left > 0; left >>= 1) {
            if ((left & 1) == 1) {
                x = power * x & MASK;
            }
            power = power * power & MASK;
        }
        return this;
    }
}
