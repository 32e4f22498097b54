package dev.isthmus.perf.compare;

import java.io.IOException;
import java.time.Duration;

/** Who runs the points of some ways. */
interface Contender extends AutoCloseable {

    /** Whether its programs compile themselves while they run, and so have to be warmed up. */
    boolean warmsUp();

    /**
     * Runs a point.
     *
     * @param iterations messages of each connection and direction, or round trips of each connection
     * @param limit how long it may take, all in all
     */
    Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException;

    /** The commands that repeat a run by hand. */
    String command(Point point, long iterations);

    @Override
    void close();

    /** The command that repeats runs of a point that no single program makes. */
    static String again(Point point) {
        return "./isthmus compare --ways " + point.way().id() + " --benchmarks "
                + point.benchmark().id() + " --bytes " + point.bytes() + " --connections " + point.connections();
    }
}
