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

    /** Needs no device, so it runs anywhere. */
    public static final String UNIT = "unit";

    /** Needs an RDMA device, which the testbed gives. */
    public static final String DEVICE = "device";

    /**
     * Needs an RDMA device and takes minutes, with programs in C at the other end. It is a tier of its own, so that a
     * second testbed can run it beside {@link #DEVICE}.
     */
    public static final String INTEROP = "interop";

    /** Needs UCX: over shared memory and TCP on a host, over verbs in the testbed. */
    public static final String UCX = "ucx";

    /** Also holds over iWARP: the testbed runs these tests once more on such devices. */
    public static final String IWARP = "iwarp";

    /** Starts Apache Spark, whose 220 MB of jars {@code testbed/spark-jars} downloads; only on a host. */
    public static final String SPARK = "spark";

    /** Also starts Apache Spark, and needs two RDMA devices; takes minutes on emulated processors. */
    public static final String SPARK_VERBS = "spark-verbs";

    /** The tier of UCX over verbs: the tests of {@link #UCX} without those of {@link #HOST}. */
    private static final String UCX_VERBS = "ucx-verbs";

    /**
     * With {@link #UCX}: once, on the host, is enough, because no transport changes what the test is about, or it
     * chooses the transport itself, or it needs more time than an emulated machine has.
     */
    private static final String HOST = "host";

    /** The tier on the newest UCX rather than the system's: {@link #UCX} without the tests of {@link #SYSTEM_UCX}. */
    private static final String UCX_NEWEST = "ucx-newest";

    /**
     * With {@link #UCX}: only runs on the system's UCX, because its peer is a C program made for that, or because a
     * fault of another UCX would end it.
     */
    private static final String SYSTEM_UCX = "system-ucx";

    /** The tier of {@link #IWARP}. */
    private static final String SIW = "siw";

    private static final Set<String> TAGS = Set.of(UNIT, DEVICE, INTEROP, UCX, IWARP, SPARK, SPARK_VERBS);
    private static final Set<String> TIERS =
            new LinkedHashSet<>(List.of(UNIT, DEVICE, INTEROP, UCX, UCX_VERBS, UCX_NEWEST, SIW, SPARK, SPARK_VERBS));

    /**
     * JUnit interrupts a test after this many seconds. After four times as many, more than any test asks for, the tier
     * is given up.
     */
    private static final long TEST_SECONDS = Long.getLong("isthmus.test.seconds", 300 + largerNumbers() / 1000);

    private TierRunner() {}

    /**
     * The largest number that a test is given, for example by {@code -Disthmus.test.messages}; numbers of bytes do
     * not count.
     */
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
     * @param args the tier; {@code --exact} if everything must be as stated; and a regular expression that the class
     *     names must match, if only some are wanted
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

    /** Prints what the device refuses, and what differs from the statements, which {@code testbed/state} reads. */
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
        // If nobody has stated what a device refuses, as on a newer kernel, only continuous integration minds.
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
                // For example a private or static method with @Test, of which JUnit only warns, without running it.
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
