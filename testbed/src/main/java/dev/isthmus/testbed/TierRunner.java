// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.UniqueIdSelector;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of one tier in this JVM: those of the folders {@code test-classes} on its class path.
 *
 * <pre>TierRunner TIER [--gate] [--report FILE] [--class NAME]... [--test ID]... [--without FILE] [--check-tags] [PATTERN]</pre>
 *
 * <p>{@code --class} names a class, so that no other is loaded, {@code --gate} leaves out the {@linkplain #EXTENDED extended} tests, {@code --test} runs the test with an identifier of
 * JUnit's, and {@code --without} leaves out what a report says that it has begun. PATTERN is a regular expression that the
 * names of classes must match. {@code --check-tags} fails if a test has no tier, so that it would never run.
 *
 * <p>Exit status 0 when a test passed, and none failed or was skipped; 1 otherwise. What the device {@linkplain RefusedByDevice
 * refuses} is for the caller to judge, by the {@linkplain TestReport report}.
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

    /** Starts Apache Spark, whose 280 MB of jars {@code testbed/spark-jars} downloads; only on a host. */
    public static final String SPARK = "spark";

    /** Also starts Apache Spark, and needs two RDMA devices; takes minutes on emulated processors. */
    public static final String SPARK_VERBS = "spark-verbs";

    /** The tests of {@link #SPARK} on the newest Spark rather than the one that the module spark is compiled with. */
    private static final String SPARK_NEWEST = "spark-newest";

    /** Starts valkey-server, which {@code testbed/valkey} builds, and needs an RDMA device. */
    public static final String VALKEY = "valkey";

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

    /** Needs an MPI with the standard's ABI, and its {@code mpiexec}: {@code testbed/mpich} has both. */
    public static final String MPI = "mpi";

    /** The tier of {@link #IWARP}. */
    private static final String SIW = "siw";

    /**
     * Holds on the simulated ConnectX, without a guest: with {@link #DEVICE} of tests that run there once more, by itself
     * of those that run nowhere else.
     */
    public static final String CONNECTX = "connectx";

    /** The tests of {@link #CONNECTX} once more, with queue pairs that Java itself drives. */
    private static final String CONNECTX_DIRECT = "connectx-direct";

    /** With any other: the gate leaves it out, as it takes long, or as others show the same in less time. */
    public static final String EXTENDED = "extended";

    private static final Set<String> TAGS =
            Set.of(UNIT, DEVICE, INTEROP, UCX, IWARP, CONNECTX, MPI, SPARK, SPARK_VERBS, VALKEY);
    private static final Set<String> TIERS = new LinkedHashSet<>(List.of(
            UNIT,
            DEVICE,
            INTEROP,
            UCX,
            UCX_VERBS,
            UCX_NEWEST,
            SIW,
            CONNECTX,
            CONNECTX_DIRECT,
            MPI,
            SPARK,
            SPARK_NEWEST,
            SPARK_VERBS,
            VALKEY));

    /**
     * On a quiet machine, JUnit interrupts a test after this many seconds; elsewhere {@linkplain TestDeadlines#ofTest later}.
     * After four times as many, more than any test asks for anywhere, the tier is given up.
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

    /** What is to run. */
    private static final class TestRequest {

        String tier = "";
        boolean gate;
        String pattern = ".*";
        Path report = Path.of("/dev/null");
        boolean checkTags;
        final List<ClassSelector> classes = new ArrayList<>();
        final List<UniqueIdSelector> tests = new ArrayList<>();
        final Set<String> without = new HashSet<>();

        TestRequest(String... arguments) throws IOException {
            var rest = new ArrayDeque<>(List.of(arguments));
            tier = rest.isEmpty() ? "" : rest.remove();
            while (!rest.isEmpty()) {
                String argument = rest.remove();
                switch (argument) {
                    case "--gate" -> gate = true;
                    case "--report" -> report = Path.of(rest.remove());
                    case "--class" -> classes.add(selectClass(rest.remove()));
                    case "--test" -> tests.add(selectUniqueId(rest.remove()));
                    case "--check-tags" -> checkTags = true;
                    case "--without" -> without.addAll(begun(Path.of(rest.remove())));
                    default -> pattern = argument;
                }
            }
        }

        /** The methods whose tests a report has begun. */
        private static Set<String> begun(Path report) throws IOException {
            try (Stream<String> lines = Files.lines(report)) {
                return lines.filter(line -> line.startsWith("began\t"))
                        .map(line -> methodOf(UniqueId.parse(line.split("\t", -1)[1])))
                        .collect(Collectors.toSet());
            }
        }

        /** The tags, in the language of JUnit. */
        String tags() {
            String tags = switch (tier) {
                case UCX_VERBS -> UCX + " & !" + HOST;
                case UCX_NEWEST -> UCX + " & !" + SYSTEM_UCX;
                case SIW -> IWARP;
                case CONNECTX_DIRECT -> CONNECTX;
                case SPARK_NEWEST -> SPARK;
                default -> tier;
            };
            return gate ? tags + " & !" + EXTENDED : tags;
        }
    }

    /**
     * Runs a tier.
     *
     * @param args as above
     */
    public static void main(String[] args) throws IOException {
        var wanted = new TestRequest(args);
        if (!TIERS.contains(wanted.tier)) {
            System.err.println(
                    "usage: TierRunner " + String.join("|", TIERS)
                            + " [--gate] [--report FILE] [--class NAME]... [--test ID]... [--without FILE] [--check-tags] [PATTERN]");
            System.exit(2);
        }
        System.out.println(TestDeadlines.report());
        Launcher launcher = LauncherFactory.create();
        boolean untagged = wanted.checkTags && hasUntagged(launcher);
        boolean passed = run(launcher, wanted) && !untagged;
        // Some tests leave threads that sleep in the kernel until their peer comes.
        System.exit(passed ? 0 : 1);
    }

    private static boolean run(Launcher launcher, TestRequest wanted) throws IOException {
        try (var file =
                new PrintStream(Files.newOutputStream(wanted.report, CREATE, APPEND), false, StandardCharsets.UTF_8)) {
            file.println("device\t" + DeviceKind.ofThisMachine());
            file.flush();
            var report = new TestReport(System.out, file);
            launcher.execute(plan(wanted), report, new Watchdog(System.out, 4 * TEST_SECONDS));
            file.println("complete");
            System.out.println(wanted.tier + ": " + report.summary());
            return report.isGood();
        }
    }

    private static boolean hasUntagged(Launcher launcher) {
        TestPlan untagged = launcher.discover(request(".*")
                .filters(TagFilter.excludeTags(TAGS.toArray(String[]::new)))
                .build());
        Set<String> names = untagged.getRoots().stream()
                .flatMap(root -> untagged.getDescendants(root).stream())
                .filter(test -> test.isTest())
                .map(test -> test.getUniqueId())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        names.forEach(name -> System.err.println("has no tier, so it never runs: " + name));
        return !names.isEmpty();
    }

    private static LauncherDiscoveryRequest plan(TestRequest wanted) {
        LauncherDiscoveryRequestBuilder request = wanted.tests.isEmpty() && wanted.classes.isEmpty()
                ? request(wanted.pattern)
                : limits(LauncherDiscoveryRequestBuilder.request())
                        .selectors(wanted.tests)
                        .selectors(wanted.classes);
        return request.filters(
                        TagFilter.includeTags(wanted.tags()), (PostDiscoveryFilter) test -> FilterResult.includedIf(
                                !wanted.without.contains(test.getUniqueId().toString())))
                .build();
    }

    private static LauncherDiscoveryRequestBuilder request(String pattern) {
        return limits(LauncherDiscoveryRequestBuilder.request())
                .selectors(selectClasspathRoots(testRoots()))
                .filters(ClassNameFilter.includeClassNamePatterns(pattern));
    }

    private static LauncherDiscoveryRequestBuilder limits(LauncherDiscoveryRequestBuilder request) {
        return request.configurationParameter(
                        "junit.jupiter.execution.timeout.default", TestDeadlines.ofTest(TEST_SECONDS) + " s")
                // For example a private or static method with @Test, of which JUnit only warns, without running it.
                .configurationParameter("junit.platform.discovery.issue.severity.critical", "INFO");
    }

    /** The identifier of the method of a test, which may be one of many invocations. */
    private static String methodOf(UniqueId test) {
        UniqueId id = test;
        while (id.getLastSegment().getType().endsWith("invocation")
                || id.getLastSegment().getType().startsWith("dynamic")) {
            id = id.removeLastSegment();
        }
        return id.toString();
    }

    private static Set<Path> testRoots() {
        return Stream.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .map(Path::of)
                .filter(path -> path.endsWith("test-classes"))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
