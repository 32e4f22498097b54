// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * How many queue pairs, regions and other objects each device has, of all processes.
 *
 * @param lines what {@code rdma resource show} prints
 */
public record KernelObjects(List<String> lines) {

    /** What the devices have now. */
    public static KernelObjects now() throws IOException, InterruptedException {
        try (var program = new ChildProgram("rdma", "resource", "show")) {
            return new KernelObjects(program.ended());
        }
    }

    /** Requires that soon there are no more than before: the kernel releases some later. */
    public void assertNoMore() throws IOException, InterruptedException {
        KernelObjects after = now();
        long end = System.nanoTime() + TestDeadlines.ofSeconds(5).toNanos();
        while (after.count() > count() && System.nanoTime() < end) {
            Thread.sleep(100); // no event reports it
            after = now();
        }
        assertTrue(after.count() <= count(), "before: " + this + ", after: " + after);
    }

    /** All of them: each line is a device's name, and then kinds with their numbers. */
    private int count() {
        return lines.stream()
                .flatMap(line ->
                        Arrays.stream(line.replaceFirst(".*?: .*?: ", "").split(" ")))
                .filter(word -> word.matches("[0-9]+"))
                .mapToInt(Integer::parseInt)
                .sum();
    }
}
