// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes cells of a matrix in JVMs of its own, as a fault may end the process; another JVM then goes on behind the cell. By
 * default it takes a few cells, which a new seed chooses in each run. {@code --with cells=1000000} makes all that there
 * are, and {@code --with seed=7} repeats a choice. The variable {@code ISTHMUS_MATRIX} of the environment names those to
 * make instead, such as {@code UcpEndpoint(one).*in PACKER*}, where each * stands for anything.
 */
final class Matrix {

    private static final int OF_A_JVM = 1000;
    private static final int SPARE_SECONDS = 120; // to start and to close all, on a quiet machine
    private static final int CELLS_A_SECOND = 20; // at least
    private static final Pattern CELL = Pattern.compile("(?m)^CELL (\\d+) (.*)$");
    private static final int MOST_TOLD = 20_000; // characters
    private static final Pattern NONE = Pattern.compile("(?!)");

    private final Supplier<ChildJvm> jvm;
    private final Class<?> main;
    private final List<String> arguments;
    private final List<String> faults = new ArrayList<>();
    private Pattern known = NONE;
    private final Set<String> madeAgain = new HashSet<>();
    private int total;
    private int skipped;
    private int never;

    /**
     * A matrix.
     *
     * @param main makes its cells; its arguments are those of {@link MatrixRun#run}, and then these
     */
    Matrix(Supplier<ChildJvm> jvm, Class<?> main, String... arguments) {
        this.jvm = jvm;
        this.main = main;
        this.arguments = List.of(arguments);
    }

    /**
     * Declares what a known fault of UCX prints when it ends the process. A cell in which it is printed is made once more,
     * and has a fault if that ends the process, too.
     */
    Matrix knownFault(Pattern printed) {
        known = printed;
        return this;
    }

    /** Makes this many cells, unless the command line says otherwise. */
    void run(int cells) {
        String names = System.getenv().getOrDefault("ISTHMUS_MATRIX", "*");
        long seed = seed();
        int end = names.equals("*") ? Integer.getInteger("isthmus.test.cells", cells) : Integer.MAX_VALUE;
        total = end;
        for (int place = 0; place < Math.min(end, total); ) {
            place = run(names, seed, place, Math.min(place + OF_A_JVM, end));
        }
        System.out.printf(
                Locale.ROOT,
                "%s %s: seed %d, %d of %d cells, %d faults, %d skipped, %d never ran%n",
                main.getSimpleName(),
                String.join(" ", arguments),
                seed,
                Math.min(end, total),
                total,
                faults.size(),
                skipped,
                never);
        assertTrue(faults.isEmpty(), this::story);
    }

    private static long seed() {
        return Long.getLong("isthmus.test.seed", System.nanoTime() % 1_000_000);
    }

    /** Makes a few cells in this JVM, which is quicker where a JVM takes long to start; one that ends it is the last told. */
    static void makeHere(List<Cell> cells, int few) {
        long seed = seed();
        int[] order = MatrixRun.order("*", seed, cells, few);
        List<String> faults = new ArrayList<>();
        for (int place = 0; place < few; place++) {
            Cell cell = cells.get(order[place]);
            System.out.println("CELL " + place + " of seed " + seed + ": " + cell.name());
            try {
                cell.step().run();
            } catch (Exception | AssertionError e) {
                faults.add("cell " + cell.name() + ": " + MatrixRun.trace(e));
            }
        }
        assertTrue(faults.isEmpty(), () -> String.join("\n", faults));
    }

    /** Makes cells until the last of them, or until the JVM dies; returns the place behind. */
    private int run(String names, long seed, int from, int to) {
        String[] args = Stream.concat(
                        Stream.of(names, Long.toString(seed), Integer.toString(from), Integer.toString(to)),
                        arguments.stream())
                .toArray(String[]::new);
        ChildJvm.Result result = jvm.get()
                .options("--enable-native-access=ALL-UNNAMED", "-XX:+ErrorFileToStdout", "-ea")
                .deadline(TestDeadlines.ofSeconds(SPARE_SECONDS + (to - from) / CELLS_A_SECOND))
                .run(main, args);
        String output = result.output();
        Matcher begin = CELL.matcher(output);
        if (!begin.find()) {
            throw new AssertionError("it ended with " + result.status() + "\n" + output);
        }
        total = Integer.parseInt(output.lines()
                .filter(line -> line.startsWith("CELLS "))
                .findFirst()
                .orElseThrow()
                .substring(6));
        while (true) {
            int place = Integer.parseInt(begin.group(1));
            String cell = begin.group(2);
            int start = begin.end();
            boolean isLast = !begin.find();
            String said = output.substring(start, isLast ? output.length() : begin.start());
            if (isLast && !said.contains("\nEND\n")) {
                return afterDeath(place, cell, said, result.status());
            }
            judge(cell, said);
            if (isLast) {
                return to;
            }
        }
    }

    private void judge(String cell, String said) {
        skipped += said.contains("\nSKIPPED ") ? 1 : 0;
        never += said.contains("\nNEVER RAN\n") ? 1 : 0;
        if (said.contains("FAULT ")) {
            faults.add("cell " + cell + ":" + said);
        }
    }

    /** Returns the place to go on at: the cell's own, once, if a known fault of UCX ended its process. */
    private int afterDeath(int place, String cell, String said, int status) {
        Matcher fault = known.matcher(said);
        if (fault.find() && madeAgain.add(cell)) {
            System.out.println("UCX's own fault " + fault.group() + " ended cell " + cell + ", which is made again");
            return place;
        }
        faults.add("cell " + cell + " ended the process with " + status + ":" + said);
        return place + 1;
    }

    private String story() {
        String all = String.join("\n", faults);
        return faults.size() + " of the cells are wrong; to repeat one: ISTHMUS_MATRIX='NAME' ./isthmus test ...\n"
                + all.substring(0, Math.min(all.length(), MOST_TOLD));
    }
}
