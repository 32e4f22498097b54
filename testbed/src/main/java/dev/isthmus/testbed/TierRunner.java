package dev.isthmus.testbed;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.io.File;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
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
 * TierRunner TIER AT_LEAST [PATTERN]}. JVMs start slowly in an emulated machine, so a tier shares one.
 *
 * <p>Exit status 0 when at least as many tests passed as stated, and none failed or was skipped; 1 otherwise. A
 * test without a tier would never run, so that is a failure too.
 */
public final class TierRunner {

    /** Needs no device: runs anywhere. */
    public static final String UNIT = "unit";

    /** Needs an RDMA device, which the testbed gives. */
    public static final String DEVICE = "device";

    /** Needs UCX: over shared memory and TCP on a host, over verbs in the testbed. */
    public static final String UCX = "ucx";

    /** Says what it says over iWARP, too, on whose devices the testbed runs these tests once more. */
    public static final String IWARP = "iwarp";

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

    private static final Set<String> TIERS =
            new LinkedHashSet<>(Set.of(UNIT, DEVICE, UCX, UCX_VERBS, UCX_NEWEST, IWARP));

    private TierRunner() {}

    /**
     * Runs a tier.
     *
     * @param args the tier, the number of tests that it must have at least, and a regular expression that the class
     *     names must match, if only some are wanted
     */
    public static void main(String[] args) {
        if (args.length < 2 || args.length > 3 || !TIERS.contains(args[0]) || !args[1].matches("[0-9]{1,6}")) {
            System.err.println("usage: TierRunner " + String.join("|", TIERS) + " AT_LEAST [PATTERN]");
            System.exit(2);
        }
        Launcher launcher = LauncherFactory.create();
        String pattern = args.length == 3 ? args[2] : ".*";
        boolean passed = nothingUntagged(launcher) && run(launcher, args[0], Integer.parseInt(args[1]), pattern);
        // Some tests leave threads that sleep in the kernel until their peer comes.
        System.exit(passed ? 0 : 1);
    }

    private static boolean run(Launcher launcher, String tier, int atLeast, String pattern) {
        var tally = new Tally(System.out);
        String tags = switch (tier) {
            case UCX_VERBS -> UCX + " & !" + HOST;
            case UCX_NEWEST -> UCX + " & !" + SYSTEM_UCX;
            default -> tier;
        };
        launcher.execute(request(pattern, TagFilter.includeTags(tags)), tally);
        System.out.println(tier + ": " + tally.passed() + " passed, " + tally.failed() + " failed, " + tally.skipped()
                + " skipped");
        if (tally.passed() < atLeast) {
            System.err.println(
                    "the " + tier + " tier must have at least " + atLeast + " tests: some were not found or not run");
        }
        return tally.failed() == 0 && tally.skipped() == 0 && tally.passed() >= atLeast;
    }

    private static boolean nothingUntagged(Launcher launcher) {
        TestPlan untagged = launcher.discover(request(".*", TagFilter.excludeTags(TIERS.toArray(String[]::new))));
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
                .configurationParameter("junit.jupiter.execution.timeout.default", "300 s")
                .build();
    }

    private static Set<Path> testRoots() {
        return Stream.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .map(Path::of)
                .filter(path -> path.endsWith("test-classes"))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
