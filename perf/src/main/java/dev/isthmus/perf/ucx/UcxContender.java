// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import java.io.IOException;

/** Who is compared. */
interface UcxContender extends AutoCloseable {

    /** Measures a cell once. */
    double run(UcxCell cell, int iterations, int warmUp, double warmUpSeconds) throws IOException, InterruptedException;

    @Override
    void close();
}
