package dev.isthmus.perf.instructions;

import java.util.List;
import java.util.Locale;

/** Rows that the same programs run. */
enum Suite {
    VERBS,
    UCX;

    /** The C source among the resources, without its suffix. */
    String twin() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What the C program is linked with. */
    List<String> libraries() {
        return switch (this) {
            case VERBS -> List.of("-libverbs");
            case UCX -> List.of("-lucp", "-lucs");
        };
    }

    /** Whether a side runs the rows. */
    boolean counts(Side side) {
        return this == UCX || side != Side.JUCX;
    }

    /** A side's program in Java. */
    Class<?> program(Side side) {
        return switch (this) {
            case VERBS -> VerbsProgram.class;
            case UCX -> side == Side.JUCX ? JucxProgram.class : UcxProgram.class;
        };
    }

    /** The arguments before the rows, in the words of a shell in the testbed. */
    String place(Side side) {
        return switch (this) {
            // The first device; in C also the index of its GID with the IPv4 address.
            case VERBS -> "${ISTHMUS_DEVICES%% *}" + (side == Side.C ? " 1" : "");
            case UCX -> "";
        };
    }

    List<? extends Row> rows() {
        return switch (this) {
            case VERBS -> VerbsRow.ALL;
            case UCX -> UcxRow.ALL;
        };
    }
}
