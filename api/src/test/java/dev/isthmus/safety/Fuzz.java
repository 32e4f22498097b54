// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs the randomised tests in JVMs of their own, each with another seed. ISTHMUS_FUZZ_ACTIONS sets the total number of
 * actions, ISTHMUS_FUZZ_SEED the seed of the first JVM; each further JVM has the next number.
 */
final class Fuzz {

    private static final int SIGABRT = 128 + 6; // as a shell and an assertion of UCX's have it
    private static final int SPARE_SECONDS = 300; // to start and to close all, on an emulated machine
    private static final int SLOWEST_PER_SECOND = 20; // actions, there
    private static final Pattern NONE = Pattern.compile("(?!)");

    /** The work of one JVM. */
    record Settings(long actions, long seed) {

        static Settings of(String[] args) {
            return new Settings(Long.parseLong(args[0]), Long.parseLong(args[1]));
        }

        @Override
        public String toString() {
            return "ISTHMUS_FUZZ_SEED=" + seed + " ISTHMUS_FUZZ_ACTIONS=" + actions;
        }
    }

    private final Class<?> main;
    private final String[] arguments;
    private final long actions;
    private final long each;
    private final long seed;
    private final Supplier<ChildJvm> jvm;
    private Pattern fault = NONE;
    private double most; // JVMs that may end with the fault, of a million actions
    private final Map<String, Integer> faults = new TreeMap<>();
    private long succeeded;

    /**
     * Runs of a main class, whose first arguments are the settings.
     *
     * @param actions how many, unless the environment says otherwise
     * @param each how many in one JVM
     */
    Fuzz(Supplier<ChildJvm> jvm, Class<?> main, long actions, long each, String... arguments) {
        this.jvm = jvm;
        this.main = main;
        this.actions = setting("ISTHMUS_FUZZ_ACTIONS", actions);
        this.seed = setting("ISTHMUS_FUZZ_SEED", System.nanoTime() % 1_000_000_000);
        this.each = each;
        this.arguments = arguments;
    }

    private static long setting(String name, long otherwise) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? otherwise : Long.parseLong(value.strip());
    }

    /** Declares a known fault of UCX, which ends the process, and how often it may occur in a million actions. */
    Fuzz knownFault(Pattern text, double mostOfAMillion) {
        fault = text;
        most = mostOfAMillion;
        return this;
    }

    /** Runs them all; fails at the first one that fails. */
    void run() {
        long left = actions;
        for (long i = seed; left > 0; i++, left -= each) {
            run(new Settings(Math.min(left, each), i));
        }
        int aborted = faults.values().stream().mapToInt(Integer::intValue).sum();
        System.out.printf(
                Locale.ROOT,
                "%s: %d actions, %d succeeded; known faults of UCX: %s%n",
                name(),
                actions,
                succeeded,
                faults);
        assertTrue(
                aborted <= Math.max(1, Math.ceil(most * actions / 1_000_000)),
                () -> "known faults of UCX ended " + aborted + " JVMs in " + actions + " actions, more than " + most
                        + " in a million: " + faults);
    }

    private String name() {
        return main.getSimpleName()
                + String.join(" ", Stream.of(arguments).map(one -> " " + one).toList());
    }

    private void run(Settings settings) {
        System.out.println(name() + ": " + settings);
        String[] all = Stream.concat(
                        Stream.of(Long.toString(settings.actions()), Long.toString(settings.seed())),
                        Stream.of(arguments))
                .toArray(String[]::new);
        ChildJvm.Result result = jvm.get()
                .options("--enable-native-access=ALL-UNNAMED", "-XX:+ErrorFileToStdout", "-ea")
                .deadline(TestDeadlines.ofSeconds(SPARE_SECONDS + settings.actions() / SLOWEST_PER_SECOND))
                .run(main, all);
        Matcher known = fault.matcher(result.output());
        if (result.status() == SIGABRT && known.find()) {
            faults.merge(known.group(1), 1, Integer::sum);
            System.out.println("it met UCX's own fault " + known.group());
            return;
        }
        assertEquals(0, result.status(), () -> story(settings, result));
        Matcher counted = Pattern.compile("actions, (\\d+) succeeded").matcher(result.output());
        assertTrue(counted.find(), () -> story(settings, result));
        succeeded += Long.parseLong(counted.group(1));
    }

    /** What to print of a failed run: the end of its output or, if the JVM died, the start of its report. */
    private static String story(Settings settings, ChildJvm.Result result) {
        String output = result.output();
        int death = output.indexOf("# A fatal error");
        return settings + " ended with " + result.status() + "\n"
                + (death >= 0
                        ? output.substring(death, Math.min(output.length(), death + 20_000))
                        : output.substring(Math.max(0, output.length() - 20_000)));
    }
}
