// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** One end's part of some iterations of a test. */
@FunctionalInterface
interface UcxBlock {

    /** Runs this many iterations. */
    void run(int count) throws IOException;
}
