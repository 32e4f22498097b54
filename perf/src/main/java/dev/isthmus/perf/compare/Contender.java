package dev.isthmus.perf.compare;

import java.io.IOException;
import java.time.Duration;

/** Who runs the points of some ways. */
interface Contender extends AutoCloseable {

    /** Whether its programs compile themselves while they run, and so have to be warmed up. */
    boolean warmsUp();

    /** How many pairs of ends a point has, each with connections of its own. */
    int lanes(Point point);

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

    /**
     * The commands of both ends, as a shell takes them: a client finds no server that is not listening yet.
     *
     * @param lanes how many pairs of ends there are
     */
    static String byHand(Point point, String server, String client, int lanes) {
        String both = server + " & sleep 2; " + client;
        if (lanes == 1) {
            return both;
        }
        boolean turned = lanes > point.connections();
        return both + " # " + lanes + " such pairs at the same time, each with a port of its own"
                + (turned ? ", every second one the other way round" : "");
    }

    /** The command that repeats runs of a point that no single program makes. */
    static String again(Point point) {
        return "./isthmus compare --ways " + point.way().id() + " --benchmarks "
                + point.benchmark().id() + " --bytes " + point.bytes() + " --connections " + point.connections();
    }
}
