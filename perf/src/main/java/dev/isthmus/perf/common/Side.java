// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

/** The sides that are compared. */
public enum Side {
    /** The C tool, or a program in C. */
    C("C"),
    /** Java on this library. */
    JAVA("Java"),
    /** Java on UCX's own binding, by JNI. */
    JUCX("JUCX");

    private final String title;

    Side(String title) {
        this.title = title;
    }

    /** The name in tables. */
    public String title() {
        return title;
    }
}
