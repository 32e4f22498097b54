// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Side;
import java.util.List;

/** Rows that the same programs run. */
enum Suite {
    VERBS,
    VERBS_PLAIN,
    UCX,
    SOCKETS;

    /** The path of the driver under another name in the testbed, without a driver file's suffix. */
    private static final String PLAIN_DRIVER = "/tmp/isthmus-plain/plain";

    /** The C source among the resources, without its suffix. */
    String twin() {
        return switch (this) {
            case VERBS, VERBS_PLAIN -> "verbs";
            case UCX -> "ucx";
            case SOCKETS -> "sockets";
        };
    }

    /** What is measured, in a few words. */
    String title() {
        return this == VERBS_PLAIN ? "verbs by plain calls" : twin();
    }

    /** The libraries of the C program. */
    List<String> libraries() {
        return switch (this) {
            case VERBS, VERBS_PLAIN -> List.of("-libverbs");
            case UCX -> List.of("-lucp", "-lucs");
            case SOCKETS -> List.of("-lrdmacm");
        };
    }

    /** Whether a side runs the rows. */
    boolean counts(Side side) {
        return this == UCX || side != Side.JUCX;
    }

    /** A side's program in Java. */
    Class<?> program(Side side) {
        return switch (this) {
            case VERBS, VERBS_PLAIN -> VerbsProgram.class;
            case UCX -> side == Side.JUCX ? JucxProgram.class : UcxProgram.class;
            case SOCKETS -> SocketProgram.class;
        };
    }

    /** What the testbed's shell does before the programs run: one line, or nothing. */
    String preparation() {
        // A driver is known by its file: libibverbs loads those that IBV_DRIVERS names before its own.
        return this == VERBS_PLAIN
                ? "mkdir -p $(dirname " + PLAIN_DRIVER + ") && for file in /usr/lib/*/libibverbs/librxe-rdmav*.so; do"
                        + " ln -sf $file " + PLAIN_DRIVER + "-${file##*-}; done\n"
                : "";
    }

    /**
     * What precedes a side's program in the shell. UCX takes over the signal that the JVM uses for null checks. Isthmus
     * prevents that itself; JUCX needs a setting.
     */
    String settings(Side side) {
        if (side == Side.JUCX) {
            return "UCX_ERROR_SIGNALS= ";
        }
        return this == VERBS_PLAIN ? "IBV_DRIVERS=" + PLAIN_DRIVER + " " : "";
    }

    /** The arguments before the rows, for the testbed's shell. */
    String place(Side side) {
        return switch (this) {
            // The first device; in C also the index of its GID with the IPv4 address.
            case VERBS, VERBS_PLAIN -> "${ISTHMUS_DEVICES%% *}" + (side == Side.C ? " 1" : "");
            case UCX -> "";
            case SOCKETS -> "${ISTHMUS_ADDRESSES%% *}"; // of the first device
        };
    }

    List<Row> rows() {
        return switch (this) {
            case VERBS -> Row.of(VerbsRow.ALL, VerbsRow::title, VerbsRow::spec);
            // The same programs, with Soft-RoCE's driver under another name: its calls are not known to be short.
            case VERBS_PLAIN -> Row.of(VerbsRow.ALL, row -> row.title() + "-plain", VerbsRow::spec);
            case UCX -> Row.of(UcxRow.ALL, UcxRow::title, UcxRow::spec);
            case SOCKETS -> Row.of(SocketRow.ALL, SocketRow::title, SocketRow::spec);
        };
    }
}
