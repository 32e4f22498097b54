// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

/** A binding of UCX for Java. */
@FunctionalInterface
interface UcxBinding {

    /** Creates an end of a test, on the thread that runs it. */
    UcxEnd open(UcxPlan plan, boolean server, UcxLink link);
}
