package dev.isthmus.ucx;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The transports to test on: values of UCX's option TLS, separated by semicolons, in the environment variable
 * ISTHMUS_UCX_TLS. In the testbed that is {@code rc_verbs,ud_verbs,self}.
 */
final class UcxTransports {

    static final long DEADLINE_SECONDS = Long.getLong("isthmus.ucx.deadlineSeconds", 30);

    private static final String DEFAULT = "posix,self;sysv,self;tcp,self";

    private UcxTransports() {}

    /** All of them. */
    static Stream<String> all() {
        return list().stream();
    }

    /** One, for what does not depend on the transport. */
    static String any() {
        return list().getFirst();
    }

    /** Those whose endpoints can tell that a peer died. */
    static Stream<String> withPeerErrors() {
        return all().filter(tls -> !tls.startsWith("posix") && !tls.startsWith("sysv"));
    }

    /** Calls what makes it advance until it is so; fails when it takes too long. */
    static void until(BooleanSupplier so, Runnable advance) {
        long begin = System.nanoTime();
        while (!so.getAsBoolean()) {
            advance.run();
            if (System.nanoTime() - begin > DEADLINE_SECONDS * 1_000_000_000L) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s");
            }
        }
    }

    private static List<String> list() {
        String chosen = System.getenv("ISTHMUS_UCX_TLS");
        return List.of((chosen == null || chosen.isEmpty() ? DEFAULT : chosen).split(";", -1));
    }
}
