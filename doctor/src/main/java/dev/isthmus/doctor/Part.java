// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

/** A part of the library that can be used without the others. */
enum Part {
    JVM("Java"),
    VERBS("verbs"),
    RDMA_CM("rdma_cm"),
    UCX("UCX"),
    /** A library of its own, which the others do not need. */
    MPI("MPI"),
    /** The sockets of another JVM, if one is examined. */
    SOCKETS("sockets of the JVM");

    private final String title;

    Part(String title) {
        this.title = title;
    }

    /** The name as it is printed. */
    String title() {
        return title;
    }
}
