// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Side;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Rows that the same programs run. */
enum Suite {
    VERBS,
    CARD,
    CARD_DIRECT,
    UCX,
    SOCKETS;

    /** The C source among the resources, without its suffix. */
    String twin() {
        return switch (this) {
            case VERBS, CARD, CARD_DIRECT -> "verbs";
            case UCX -> "ucx";
            case SOCKETS -> "sockets";
        };
    }

    /** What is measured, in a few words. */
    String title() {
        return switch (this) {
            case CARD -> "verbs on libmlx5";
            case CARD_DIRECT -> "verbs straight to the card, beside libmlx5";
            case VERBS, UCX, SOCKETS -> twin();
        };
    }

    /** The libraries of the C program. */
    List<String> libraries() {
        return switch (this) {
            case VERBS, CARD, CARD_DIRECT -> List.of("-libverbs");
            case UCX -> List.of("-lucp", "-lucs");
            case SOCKETS -> List.of("-lrdmacm");
        };
    }

    /** The sides that run the rows. */
    Set<Side> sides() {
        return this == UCX ? EnumSet.allOf(Side.class) : EnumSet.of(Side.C, Side.JAVA);
    }

    /** The program in Java. */
    Class<?> program() {
        return switch (this) {
            case VERBS, CARD, CARD_DIRECT -> VerbsProgram.class;
            case UCX -> UcxProgram.class;
            case SOCKETS -> SocketProgram.class;
        };
    }

    /** The testbed's options for a place of its own within that where the rows are counted: none, or some. */
    String place() {
        return isOnCard() ? "--quiet --device=connectx --env=ISTHMUS_CONNECTX_THREAD=no --timeout=3600" : "";
    }

    /** Whether it runs on the simulated card of docs/connectx.md. */
    boolean isOnCard() {
        return this == CARD || this == CARD_DIRECT;
    }

    /** The options of its JVM, besides those of all. */
    List<String> options() {
        return this == CARD_DIRECT ? List.of("-D" + VerbsProgram.DIRECT + "=true") : List.of();
    }

    /**
     * What precedes a side's program in the shell. UCX takes over the signal that the JVM uses for null checks. Isthmus
     * prevents that itself; JUCX needs a setting.
     */
    String settings(Side side) {
        return side == Side.JUCX ? "UCX_ERROR_SIGNALS= " : "";
    }

    /** The arguments before the rows, for the testbed's shell. */
    String arguments(Side side) {
        return switch (this) {
            // The first device; in C also the index of its GID with the IPv4 address.
            case VERBS -> "${ISTHMUS_DEVICES%% *}" + (side == Side.C ? " 1" : "");
            case CARD, CARD_DIRECT -> "mlx5_0" + (side == Side.C ? " 1" : "");
            case UCX -> side == Side.C ? "" : side.name();
            case SOCKETS -> "${ISTHMUS_ADDRESSES%% *}"; // of the first device
        };
    }

    List<Row> rows() {
        return switch (this) {
            case VERBS -> Row.of(VerbsRow.ALL, VerbsRow::title, VerbsRow::spec);
            // The same programs on libmlx5, the driver of ConnectX cards, over the simulated card of docs/connectx.md.
            case CARD -> Row.of(VerbsRow.ON_CARD, row -> "mlx5-" + row.title(), VerbsRow::spec);
            case CARD_DIRECT -> Row.of(VerbsRow.DIRECT, row -> "mlx5-direct-" + row.title(), VerbsRow::spec);
            case UCX -> Row.of(UcxRow.ALL, UcxRow::title, UcxRow::spec);
            case SOCKETS -> Row.of(SocketRow.ALL, SocketRow::title, SocketRow::spec);
        };
    }
}
