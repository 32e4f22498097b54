package dev.isthmus.safety;

import dev.isthmus.RdmaException;
import java.util.Set;

/** Which exceptions a wrong program may get: the documented ones, and no class that only derives from one of them. */
final class Outcome {

    private static final Set<Class<?>> DOCUMENTED = Set.of(
            IllegalArgumentException.class,
            IllegalStateException.class,
            IndexOutOfBoundsException.class,
            WrongThreadException.class);

    /** An action that found nothing to act on. */
    @SuppressWarnings("serial")
    static final class NothingThere extends RuntimeException {
        NothingThere() {
            super(null, null, false, false);
        }
    }

    private Outcome() {}

    static boolean isDocumented(Throwable thrown, boolean nullGiven) {
        return DOCUMENTED.contains(thrown.getClass())
                || thrown instanceof RdmaException
                || thrown instanceof NothingThere
                || (nullGiven && thrown instanceof NullPointerException);
    }
}
