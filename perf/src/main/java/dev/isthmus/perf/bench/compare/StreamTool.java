// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.ToolRun;
import dev.isthmus.perf.tools.stream.StreamCommand;
import dev.isthmus.perf.tools.stream.StreamFigures;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ParameterException;

/** {@code rstream}: the flags by which it and ours run a point, and the figures that its output contains. */
final class StreamTool implements ToolRunner.Tool {

    /** The head of the table, which a server prints once it listens. */
    private static final String HEAD = "usec/xfer";

    static final String PROGRAM = "rstream";

    /** The column of the table that has the time of a transfer. */
    private static final int MICROS_COLUMN = 7;

    private static final double MILLION = 1e6;

    /** A server in an existing JVM listens at once, except on an emulated processor. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final long LOOK_MILLIS = 2;

    /** The flags of a server. */
    static List<String> serverFlags(Point point, Venue.End end, int port, long iterations) {
        List<String> flags = new ArrayList<>(List.of("-b", end.address()));
        flags.addAll(both(point, port, iterations));
        return flags;
    }

    private static List<String> both(Point point, int port, long iterations) {
        boolean trips = point.benchmark() == Benchmark.PING_PONG;
        List<String> flags = new ArrayList<>(List.of("-f", "ip", "-p", "" + port));
        flags.addAll(List.of("-S", "" + point.bytes(), "-T", "n"));
        flags.addAll(List.of("-I", "" + (trips ? iterations : 1), "-C", "" + (trips ? 1 : iterations)));
        if (point.way().isTcp()) {
            flags.addAll(List.of("-T", "s"));
        }
        return flags;
    }

    /** The flags of a client. With -b it takes the server's port, too, so its address must differ from the server's. */
    static List<String> clientFlags(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        List<String> flags = new ArrayList<>(List.of("-s", server.address()));
        if (!end.address().equals(server.address())) {
            flags.addAll(List.of("-b", end.address()));
        }
        flags.addAll(both(point, port, iterations));
        return flags;
    }

    /** The result of a run, from the time of a transfer: data goes one way, and then as many times the other way. */
    static Measured measured(Benchmark benchmark, double micros, long iterations) {
        return benchmark == Benchmark.PING_PONG
                ? Measured.times(2 * micros, Double.NaN, Double.NaN, 2, iterations)
                : Measured.rate(MILLION / micros, 2 * iterations);
    }

    /** Reads what a client has printed. */
    static Measured figures(Benchmark benchmark, long iterations, String output) throws IOException {
        for (String line : output.lines().toList()) {
            String[] fields = line.strip().split("\\s+", -1);
            if (fields[0].equals("custom") && fields.length == MICROS_COLUMN + 1) {
                return measured(benchmark, Double.parseDouble(fields[MICROS_COLUMN]), iterations);
            }
        }
        throw new IOException(PROGRAM + " printed no figures, but: " + output.strip());
    }

    /** Runs our end. */
    static Measured run(Job job) throws IOException {
        Point point = job.point();
        List<String> flags = job.isClient()
                ? clientFlags(point, job.local(), job.server(), job.port(), job.iterations())
                : serverFlags(point, job.local(), job.port(), job.iterations());
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                StreamFigures figures = StreamCommand.measure(flags);
                return measured(point.benchmark(), figures.micros(), job.iterations())
                        .withSpent(figures.spent());
            } catch (ConnectException e) { // rdma_cm has no table of listeners
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                pause();
            } catch (ParameterException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
        }
    }

    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** What it prints arrives line by line. */
    @Override
    public List<String> server(Runner.Share share) {
        List<String> command = new ArrayList<>(List.of("stdbuf", "-oL", PROGRAM));
        command.addAll(serverFlags(share.point(), share.near(), share.port(), share.iterations()));
        return command;
    }

    @Override
    public List<String> client(Runner.Share share) {
        List<String> command = new ArrayList<>(List.of(PROGRAM));
        command.addAll(clientFlags(share.point(), share.far(), share.near(), share.port(), share.iterations()));
        return command;
    }

    @Override
    public int usualPort() {
        return 7471;
    }

    @Override
    public void awaitListening(ToolRun server, int port) throws IOException, InterruptedException {
        server.awaitPrinted(HEAD);
    }

    @Override
    public Measured read(Point point, long iterations, String output) throws IOException {
        return figures(point.benchmark(), iterations, output);
    }
}
