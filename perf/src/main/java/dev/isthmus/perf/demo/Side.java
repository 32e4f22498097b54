// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

/** Who is measured. */
public enum Side {
    /** The C tool. */
    C,
    /** Java on this library. */
    JAVA
}
