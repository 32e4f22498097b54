// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

/** Who runs the loops. */
enum Side {
    C("C"),
    JAVA("Java"),
    JUCX("JUCX");

    private final String title;

    Side(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
