// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the process and the kernel hold.
 *
 * @param descriptors open files
 * @param objects the kernel's objects of each kind, of all devices
 * @param heap reachable bytes, approximately
 * @param resident KiB of the process in memory
 */
record Usage(long descriptors, String objects, long heap, long resident) {

    private static final Pattern KIND = Pattern.compile("(pd|cq|qp|cm_id|mr|ctx|srq) (\\d+)");
    private static final Set<String> SHARED = Set.of("ctx", "srq"); // as librdmacm opens devices once

    /** Opens what is kept from then on, such as devices. */
    static void warmUp() throws Exception {
        try (var company = new Company()) {
            company.assertWell();
        }
    }

    static Usage now() throws IOException, InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return new Usage(
                countDescriptors(), readObjects(), runtime.totalMemory() - runtime.freeMemory(), readResident());
    }

    private static long countDescriptors() throws IOException {
        try (var list = Files.list(Path.of("/proc/self/fd"))) {
            return list.count();
        }
    }

    private static long readResident() throws IOException {
        Matcher matcher = Pattern.compile("VmRSS:\\s+(\\d+)").matcher(Files.readString(Path.of("/proc/self/status")));
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static String readObjects() throws IOException, InterruptedException {
        String text = show();
        return KIND.matcher(text)
                .results()
                .filter(one -> !SHARED.contains(one.group(1)))
                .collect(Collectors.groupingBy(
                        (MatchResult one) -> one.group(1),
                        TreeMap::new,
                        Collectors.summingInt(one -> Integer.parseInt(one.group(2)))))
                .toString();
    }

    private static String show(String... kind) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("rdma", "resource", "show"));
        command.addAll(List.of(kind));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0 || text.isBlank()) {
            throw new IOException(command + ": " + text);
        }
        return text;
    }

    /** Waits until no more is held than before: the kernel releases some things a moment after they were closed. */
    static void awaitNoMoreThan(Usage before) throws IOException, InterruptedException {
        long end = System.nanoTime() + TestDeadlines.ofSeconds(60).toNanos();
        while (!readObjects().equals(before.objects) || countDescriptors() > before.descriptors) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "before: " + before + ", and now: " + now() + "\n" + show("cm_id") + show("qp"));
            }
            Thread.sleep(100);
        }
    }
}
