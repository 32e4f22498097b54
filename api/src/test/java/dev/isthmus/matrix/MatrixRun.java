// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.testbed.TestDeadlines;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The child of {@link Matrix}: makes some cells, one after another, and prints each before it makes it, so that a reader of
 * the output knows in which one the process ended. Each is on a line of its own, whatever UCX prints.
 */
final class MatrixRun {

    /** The exit status after a cell that did not end. */
    static final int HUNG = 3;

    /** The longest that a cell may take. */
    private static final long HANG_NANOS = TestDeadlines.ofSeconds(30).toNanos();

    private static volatile long since = Long.MAX_VALUE;

    private MatrixRun() {}

    /**
     * Makes cells.
     *
     * @param all of the matrix; they may be made when they are asked for
     * @param args the cells' name, in which * is anything; the seed of their order; and which places of that order to
     *     make, from and to
     * @param end what comes after the last cell
     */
    static void run(List<Cell> all, String[] args, Cell end) throws InterruptedException {
        int from = Integer.parseInt(args[2]);
        int most = Integer.parseInt(args[3]);
        int[] cells = order(args[0], Long.parseLong(args[1]), all, most);
        int to = Math.min(most, cells.length);
        System.out.println("CELLS " + cells.length);
        Thread maker = Thread.ofPlatform().name("cells").start(() -> {
            for (int place = from; place < to; place++) {
                make(place, all.get(cells[place]));
            }
            make(to, end);
        });
        while (!maker.join(Duration.ofMillis(200))) {
            watch();
        }
        System.out.println("\nEND");
        System.exit(0);
    }

    /** The cells of a name, by number; the first places have an order by chance, of all of them. */
    static int[] order(String name, long seed, List<Cell> all, int places) {
        int[] cells = named(name, all);
        var random = new Random(seed);
        for (int place = 0; place < Math.min(places, cells.length); place++) {
            int other = place + random.nextInt(cells.length - place);
            int chosen = cells[other];
            cells[other] = cells[place];
            cells[place] = chosen;
        }
        return cells;
    }

    private static int[] named(String wanted, List<Cell> all) {
        IntStream every = IntStream.range(0, all.size());
        if (wanted.equals("*")) {
            return every.toArray();
        }
        Pattern name = Pattern.compile(Pattern.quote(wanted).replace("*", "\\E.*\\Q"));
        return every.filter(i -> name.matcher(all.get(i).name()).matches()).toArray();
    }

    private static void make(int place, Cell cell) {
        System.out.println("\nCELL " + place + " " + cell.name());
        since = System.nanoTime();
        try {
            cell.step().run();
        } catch (Throwable t) {
            System.out.println("FAULT " + trace(t));
        } finally {
            System.out.println("TOOK " + (System.nanoTime() - since) / 1000);
            since = Long.MAX_VALUE;
        }
    }

    private static void watch() {
        long begun = since;
        if (begun != Long.MAX_VALUE && System.nanoTime() - begun > HANG_NANOS) {
            hang();
        }
    }

    private static void hang() {
        System.out.println("FAULT it did not end:");
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            System.out.println(thread);
            List.of(stack).forEach(frame -> System.out.println("    at " + frame));
        });
        System.out.flush();
        Runtime.getRuntime().halt(HUNG);
    }

    /** A throwable and where it comes from, as far as that tells something. */
    static String trace(Throwable t) {
        String frames = List.of(t.getStackTrace()).stream()
                .limit(14)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
        return t + frames + (t.getCause() == null ? "" : "\ncaused by " + trace(t.getCause()));
    }
}
