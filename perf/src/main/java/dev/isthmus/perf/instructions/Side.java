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

    /**
     * Before the program, in the words of a shell. UCX takes the signal that the JVM makes its null checks with: Isthmus
     * sees to it itself, for JUCX a setting does.
     */
    String settings() {
        return this == JUCX ? "UCX_ERROR_SIGNALS= " : "";
    }
}
