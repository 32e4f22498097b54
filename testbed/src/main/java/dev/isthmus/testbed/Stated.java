// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What is stated of a tier: in {@code testbed/tests.txt} how many tests each class has there, a line for each class:
 *
 * <pre>dev.isthmus.ucx.UcpTagTest ucx=36 ucx-newest=36 ucx-verbs=12</pre>
 *
 * <p>and under {@code docs/coverage/refused.d} which tests a device refuses, and why, a file for each tier and kind of device:
 *
 * <pre>FlowTest.shouldCount | ibv_create_counters: EOPNOTSUPP</pre>
 *
 * <p>{@code testbed/state} writes both from the log of a run.
 */
final class Stated {

    static final String TESTS = "testbed/tests.txt";
    private static final String REFUSED = "docs/coverage/refused.d";

    private final Path home;
    private final String tier;
    private final boolean hasDevice;
    private final Path refused;

    Stated(Path home, String tier, String deviceKind) {
        this.home = home;
        this.tier = tier;
        hasDevice = !deviceKind.equals(DeviceKind.NONE);
        refused = Path.of(REFUSED, tier + "-on-" + deviceKind + ".txt");
    }

    /** Whether it is stated what the device refuses in this tier. Without a device, nothing can be refused. */
    boolean knowsDevice() {
        return !hasDevice || Files.exists(home.resolve(refused));
    }

    /**
     * The classes whose number of tests differs from the stated one.
     *
     * @param executed how many tests of each class were executed
     * @param chosen matches the names of the classes that were to run
     */
    List<String> differences(Map<String, Integer> executed, Pattern chosen) {
        var stated = new TreeMap<String, Integer>();
        for (String line : lines(Path.of(TESTS))) {
            String[] words = line.split(" ", -1);
            for (int i = 1; i < words.length; i++) {
                String[] count = words[i].split("=", 2);
                if (count[0].equals(tier) && chosen.matcher(words[0]).matches()) {
                    stated.put(words[0], Integer.parseInt(count[1]));
                }
            }
        }
        var classes = new TreeSet<>(stated.keySet());
        classes.addAll(executed.keySet());
        var differences = new ArrayList<String>();
        for (String name : classes) {
            int is = executed.getOrDefault(name, 0);
            int should = stated.getOrDefault(name, 0);
            if (is != should) {
                differences.add(TESTS + ": " + name + " " + tier + "=" + is + ", not " + should);
            }
        }
        return differences;
    }

    /**
     * What is refused and not stated, and vice versa.
     *
     * @param executed the classes that were executed
     * @param now the reason by the name of each test that was refused
     * @param all whether every class was to run, so that statements about others are outdated
     */
    List<String> differences(Map<String, Integer> executed, SortedMap<String, String> now, boolean all) {
        var stated = new TreeMap<String, String>();
        for (String line : hasDevice && knowsDevice() ? lines(refused) : List.<String>of()) {
            String[] parts = line.split(" \\| ", 2);
            if (all || executed.keySet().stream().anyMatch(name -> isOf(name, parts[0]))) {
                stated.put(parts[0], parts[1]);
            }
        }
        var tests = new TreeSet<>(stated.keySet());
        tests.addAll(now.keySet());
        var differences = new ArrayList<String>();
        for (String test : tests) {
            if (!Objects.equals(stated.get(test), now.get(test))) {
                differences.add(
                        now.containsKey(test)
                                ? refused + ": now refused: " + test + " | " + now.get(test)
                                : refused + ": not refused: " + test);
            }
        }
        return differences;
    }

    private static boolean isOf(String className, String test) {
        return test.startsWith(className.substring(className.lastIndexOf('.') + 1) + ".");
    }

    private List<String> lines(Path file) {
        try {
            return Files.readAllLines(home.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
