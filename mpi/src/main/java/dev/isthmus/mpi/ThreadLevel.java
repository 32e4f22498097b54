// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

/** Which threads may call MPI. The numbers are the ABI's. */
public enum ThreadLevel {
    /** {@code MPI_THREAD_SINGLE}: as {@link #FUNNELED}, because a JVM always has several threads. */
    SINGLE(0),
    /** {@code MPI_THREAD_FUNNELED}: only the thread that initialised MPI; calls of others are refused. */
    FUNNELED(1024),
    /** {@code MPI_THREAD_SERIALIZED}: any thread, one at a time. */
    SERIALIZED(2048),
    /** {@code MPI_THREAD_MULTIPLE}: any thread at any time. */
    MULTIPLE(4096);

    private final int number;

    ThreadLevel(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static ThreadLevel of(int number) {
        ThreadLevel level = SINGLE;
        for (ThreadLevel each : values()) {
            level = each.number <= number ? each : level;
        }
        return level;
    }
}
