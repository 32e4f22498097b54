// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

/** A way for a JVM to UCX. */
@FunctionalInterface
interface UcxBinding {

    /** Makes an end of a test, on the thread that is to run it. */
    UcxEnd open(UcxPlan plan, boolean server, UcxLink link);
}
