// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs one tier of the tests of all modules in this JVM, on the class path that they were compiled with: {@code
 * TierRunner TIER [--exact] [PATTERN]}. JVMs start slowly in an emulated machine, so a tier shares one.
 *
 * <p>Exit status 0 when a test passed, and none failed or was skipped; 1 otherwise. A test without a tier would never run, so
 * that is a failure too, and so is what the device {@linkplain RefusedByDevice refuses} other than is {@linkplain Stated
 * stated} of it. With {@code --exact}, as in continuous integration, each class must have exactly as many tests as stated, so
 * that none vanishes, and of the device it must be stated what it refuses.
 */
public final class TierRunner {

    /** Needs no device: runs anywhere. */
    public static final String UNIT = "unit";

    /** Needs an RDMA device, which the testbed gives. */
    public static final String DEVICE = "device";

    /**
     * Needs an RDMA device and takes minutes, with the programs in C on the other end: a tier of its own, so that a second
     * testbed can run it beside that of {@link #DEVICE}.
     */
    public static final String INTEROP = "interop";

    /** Needs UCX: over shared memory and TCP on a host, over verbs in the testbed. */
    public static final String UCX = "ucx";

    /** Says what it says over iWARP, too, on whose devices the testbed runs these tests once more. */
    public static final String IWARP = "iwarp";

    /** Starts Apache Spark, whose 220 MB of jars {@code testbed/spark-jars} gets; on a host alone. */
    public static final String SPARK = "spark";

    /** Starts Apache Spark as well, and needs two RDMA devices; takes minutes where processors are emulated. */
    public static final String SPARK_VERBS = "spark-verbs";

    /** The tier of UCX over verbs: the tests of {@link #UCX} without those of {@link #HOST}. */
    private static final String UCX_VERBS = "ucx-verbs";

    /**
     * Beside {@link #UCX}: once, on the host, is enough, because the test is about what no transport changes, chooses the
     * transport itself, or needs more time than an emulated machine has.
     */
    private static final String HOST = "host";

    /** The tier of UCX on the newest UCX rather than the system's: {@link #UCX} without those of {@link #SYSTEM_UCX}. */
    private static final String UCX_NEWEST = "ucx-newest";

    /**
     * Beside {@link #UCX}: runs on the system's UCX alone, because its peer is a C program that is made for that one, or
     * because a fault of another UCX would end it.
     */
    private static final String SYSTEM_UCX = "system-ucx";

    /** The tier of {@link #IWARP}. */
    private static final String SIW = "siw";

    private static final Set<String> TAGS = Set.of(UNIT, DEVICE, INTEROP, UCX, IWARP, SPARK, SPARK_VERBS);
    private static final Set<String> TIERS =
            new LinkedHashSet<>(List.of(UNIT, DEVICE, INTEROP, UCX, UCX_VERBS, UCX_NEWEST, SIW, SPARK, SPARK_VERBS));

    /** After these JUnit interrupts a test; after four times as many, more than any test states for itself, the tier is given up. */
    private static final long TEST_SECONDS = Long.getLong("isthmus.test.seconds", 300 + largerNumbers() / 1000);

    private TierRunner() {}

    /** The largest number of things that a test is told to do, as by {@code -Disthmus.test.messages}; bytes are none. */
    private static long largerNumbers() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("isthmus.test.") && !name.endsWith(".bytes"))
                .mapToLong(Long::getLong)
                .max()
                .orElse(0);
    }

    /**
     * Runs a tier.
     *
     * @param args the tier, {@code --exact} when all must be as stated, and a regular expression that the class names must
     *     match, if only some are wanted
     */
    public static void main(String[] args) {
        var rest = new ArrayList<>(List.of(args));
        String tier = rest.isEmpty() ? "" : rest.removeFirst();
        boolean exact = rest.remove("--exact");
        if (!TIERS.contains(tier) || rest.size() > 1) {
            System.err.println("usage: TierRunner " + String.join("|", TIERS) + " [--exact] [PATTERN]");
            System.exit(2);
        }
        Launcher launcher = LauncherFactory.create();
        String pattern = rest.isEmpty() ? ".*" : rest.getFirst();
        boolean passed = nothingUntagged(launcher) && run(launcher, tier, exact, pattern);
        // Some tests leave threads that sleep in the kernel until their peer comes.
        System.exit(passed ? 0 : 1);
    }

    private static boolean run(Launcher launcher, String tier, boolean exact, String pattern) {
        var tally = new Tally(System.out);
        String tags = switch (tier) {
            case UCX_VERBS -> UCX + " & !" + HOST;
            case UCX_NEWEST -> UCX + " & !" + SYSTEM_UCX;
            case SIW -> IWARP;
            default -> tier;
        };
        var watchdog = new Watchdog(System.out, 4 * TEST_SECONDS);
        launcher.execute(request(pattern, TagFilter.includeTags(tags)), tally, watchdog);
        boolean asStated = isAsStated(tally, tier, exact, pattern);
        System.out.println(tier + ": " + tally.passed() + " passed, " + tally.failed() + " failed, " + tally.skipped()
                + " skipped");
        if (tally.passed() == 0) {
            System.err.println("no test of the " + tier + " tier has passed: is there none of " + pattern + "?");
        }
        return tally.failed() == 0 && tally.skipped() == 0 && tally.passed() > 0 && asStated;
    }

    /** Prints what the device refuses, and what is other than stated, which {@code testbed/state} reads. */
    private static boolean isAsStated(Tally tally, String tier, boolean exact, String pattern) {
        SortedMap<String, String> refused = tally.refused();
        if (!refused.isEmpty()) {
            System.out.println("refused by the device: " + refused.size());
            refused.forEach((test, reason) -> System.out.println("  " + test + " | " + reason));
        }
        var stated = new Stated(Path.of(System.getProperty("isthmus.home")), tier, DeviceKind.ofThisMachine());
        List<String> counts = stated.differences(tally.executed(), Pattern.compile(pattern));
        List<String> refusals = stated.differences(tally.executed(), refused, pattern.equals(".*"));
        counts.forEach(System.out::println);
        refusals.forEach(System.out::println);
        // Where nobody has stated what a device refuses, as on a newer kernel, only continuous integration minds.
        boolean isRight = refusals.isEmpty() || (!exact && !stated.knowsDevice());
        return isRight && (counts.isEmpty() || !exact);
    }

    private static boolean nothingUntagged(Launcher launcher) {
        TestPlan untagged = launcher.discover(request(".*", TagFilter.excludeTags(TAGS.toArray(String[]::new))));
        Set<String> names = untagged.getRoots().stream()
                .flatMap(root -> untagged.getDescendants(root).stream())
                .filter(test -> test.isTest())
                .map(test -> test.getUniqueId())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        names.forEach(name -> System.err.println("has no tier, so it never runs: " + name));
        return names.isEmpty();
    }

    private static LauncherDiscoveryRequest request(String pattern, Filter<?> tags) {
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClasspathRoots(testRoots()))
                .filters(tags, ClassNameFilter.includeClassNamePatterns(pattern))
                .configurationParameter("junit.jupiter.execution.timeout.default", TEST_SECONDS + " s")
                // A private or static method with @Test, say, which JUnit only warns of and does not run.
                .configurationParameter("junit.platform.discovery.issue.severity.critical", "INFO")
                .build();
    }

    private static Set<Path> testRoots() {
        return Stream.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .map(Path::of)
                .filter(path -> path.endsWith("test-classes"))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
