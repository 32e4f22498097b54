// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import java.io.IOException;

/** Some iterations of a test: an end's part of them. */
@FunctionalInterface
interface UcxBlock {

    /** Runs so many. */
    void run(int count) throws IOException;
}
