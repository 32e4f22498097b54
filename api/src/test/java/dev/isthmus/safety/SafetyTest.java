package dev.isthmus.safety;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Any order of calls, on any thread, with any values gives success or a documented exception: never a dead or hanging
 * JVM. ISTHMUS_FUZZ_SECONDS says for how long, ISTHMUS_FUZZ_SEED with what seed. Without one, a run whose length was
 * asked for takes another each time, and the short one of the device tier the same, so that a failure is of a change.
 */
@Tag("device")
class SafetyTest {

    private static final String WORKERS = "3";
    private static final int CLOSING_SECONDS = 180;

    private static String setting(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? otherwise : value;
    }

    @Test
    void shouldSurviveAnyOrderOfCallsWithAnyValues() {
        String seconds = setting("ISTHMUS_FUZZ_SECONDS", "20");
        boolean isLong = System.getenv("ISTHMUS_FUZZ_SECONDS") != null;
        String seed = setting("ISTHMUS_FUZZ_SEED", isLong ? Long.toString(System.nanoTime()) : "1");
        ChildJvm.Result result = new ChildJvm()
                .options("--enable-native-access=ALL-UNNAMED", "-XX:+ErrorFileToStdout")
                .deadline(Duration.ofSeconds(Integer.parseInt(seconds) + CLOSING_SECONDS))
                .run(SafetyRun.class, seconds, WORKERS, seed);
        System.out.print(result.output().lines().limit(3).reduce("", (a, b) -> a + b + "\n"));
        assertEquals(0, result.status(), () -> "ISTHMUS_FUZZ_SEED=" + seed + "\n" + tail(result.output()));
    }

    /** The end of what was said or, when the JVM died, the start of its report, which says where. */
    private static String tail(String output) {
        int death = output.indexOf("# A fatal error");
        return death >= 0
                ? output.substring(death, Math.min(output.length(), death + 20_000))
                : output.substring(Math.max(0, output.length() - 20_000));
    }
}
