package dev.isthmus.perf.compare;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;

/** A server and a client, which measure something between them. Several run at the same time, one for each connection. */
interface Lane extends AutoCloseable {

    /** Returns when the server listens. */
    void listen(Duration limit) throws IOException, InterruptedException;

    /** Runs the client, and returns when both have ended well. */
    Measured measure(Duration limit) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;

    /** Runs some at the same time, and closes them. */
    static Measured run(List<? extends Lane> lanes, Duration limit) throws IOException, InterruptedException {
        try {
            for (Lane lane : lanes) {
                lane.listen(limit);
            }
            return lanes.size() == 1 ? lanes.getFirst().measure(limit) : together(lanes, limit);
        } finally {
            for (Lane lane : lanes) {
                lane.close();
            }
        }
    }

    private static Measured together(List<? extends Lane> lanes, Duration limit)
            throws IOException, InterruptedException {
        var executor = Executors.newVirtualThreadPerTaskExecutor();
        try {
            var running = new ExecutorCompletionService<Measured>(executor);
            for (Lane lane : lanes) {
                running.submit(() -> lane.measure(limit));
            }
            List<Measured> all = new ArrayList<>();
            while (all.size() < lanes.size()) {
                all.add(running.take().get()); // the next to end: a failure is seen at once
            }
            return Measured.together(all);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } finally {
            executor.shutdownNow(); // one has failed: the others are not waited for
        }
    }
}
