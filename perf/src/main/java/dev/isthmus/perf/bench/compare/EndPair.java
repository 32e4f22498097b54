// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.PausedProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server and a client that measure something between them. Several pairs can run at the same time. */
interface EndPair extends AutoCloseable {

    /** Returns when the server listens. */
    void listen(Duration limit) throws IOException, InterruptedException;

    /** The server's process, if it serves only this pair. */
    Optional<Process> server();

    /**
     * Runs the client, and returns when both have ended well.
     *
     * @param connected called when the client has connected to a server that is being held
     */
    Measured measure(Duration limit, Optional<Runnable> connected) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;

    /** A pair that has ended, and when. */
    record Ended(Measured measured, long nanos) {

        private double end() {
            return nanos / 1e9;
        }

        private double begin() {
            return end() - measured.seconds();
        }
    }

    /**
     * The fraction of the time, from the first start to the last end, in which all pairs were measuring; if it is
     * small, the rates of the pairs do not add up. It takes the end of a process for the end of its measurement, so it
     * is only about right.
     */
    static double overlap(List<Ended> pairs) {
        double first = pairs.stream().mapToDouble(Ended::begin).min().orElseThrow();
        double last = pairs.stream().mapToDouble(Ended::end).max().orElseThrow();
        double from = pairs.stream().mapToDouble(Ended::begin).max().orElseThrow();
        double to = pairs.stream().mapToDouble(Ended::end).min().orElseThrow();
        return Math.max(0, to - from) / (last - first);
    }

    /**
     * Runs pairs at the same time, and closes them. New processes take different times to start, so the servers are
     * held until all clients are there.
     */
    static Measured run(List<? extends EndPair> pairs, Duration limit) throws IOException, InterruptedException {
        try {
            for (EndPair pair : pairs) {
                pair.listen(limit);
            }
            return pairs.size() == 1 ? pairs.getFirst().measure(limit, Optional.empty()) : together(pairs, limit);
        } finally {
            for (EndPair pair : pairs) {
                pair.close();
            }
        }
    }

    private static Measured together(List<? extends EndPair> pairs, Duration limit)
            throws IOException, InterruptedException {
        var executor = Executors.newVirtualThreadPerTaskExecutor();
        List<Process> servers =
                pairs.stream().flatMap(pair -> pair.server().stream()).toList();
        try (var held = new PausedProcesses(servers)) {
            var starting = new AtomicInteger(pairs.size());
            Runnable connected = () -> {
                if (starting.decrementAndGet() == 0) {
                    held.release(); // the last client is there
                }
            };
            var running = new ExecutorCompletionService<Ended>(executor);
            for (EndPair pair : pairs) {
                running.submit(() -> {
                    Measured measured = pair.measure(limit, Optional.of(connected));
                    return new Ended(measured, System.nanoTime());
                });
            }
            List<Ended> all = new ArrayList<>();
            while (all.size() < pairs.size()) {
                all.add(running.take().get()); // the next one to end, so that a failure shows at once
            }
            return Measured.together(all.stream().map(Ended::measured).toList()).withOverlap(overlap(all));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } finally {
            executor.shutdownNow(); // one has failed: the others are not waited for
        }
    }
}
