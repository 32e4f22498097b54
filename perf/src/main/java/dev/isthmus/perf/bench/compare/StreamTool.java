// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Tool;
import dev.isthmus.perf.process.ToolRun;
import dev.isthmus.perf.tools.stream.StreamCommand;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
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

    private static final long LOOK_NANOS = 2_000_000;

    /** With -b a client takes the server's port, too, so its address must differ from the server's. */
    static List<String> flags(Job job) {
        boolean trips = job.benchmark() == Benchmark.PING_PONG;
        String address = job.isClient() ? "-s " + job.server().address() + " " : "";
        if (!job.isClient() || !job.local().equals(job.server())) {
            address += "-b " + job.local().address() + " ";
        }
        return Tool.words(address + "-f ip -p " + job.port() + " -S " + job.bytes() + " -T n -I "
                + (trips ? job.iterations() : 1) + " -C " + (trips ? 1 : job.iterations())
                + (job.point().way().isTcp() ? " -T s" : ""));
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
        List<String> flags = flags(job);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                StreamCommand.Figures figures = StreamCommand.measure(flags);
                return measured(job.benchmark(), figures.micros(), job.iterations())
                        .withSpent(figures.spent());
            } catch (ConnectException e) { // rdma_cm has no table of listeners
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            } catch (ParameterException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
        }
    }

    /** What a server prints arrives line by line. */
    @Override
    public List<String> command(Job job) {
        List<String> command = Tool.words(job.isClient() ? PROGRAM : "stdbuf -oL " + PROGRAM);
        command.addAll(flags(job));
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
