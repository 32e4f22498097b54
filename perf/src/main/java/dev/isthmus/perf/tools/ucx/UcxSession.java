// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.RdmaException;
import dev.isthmus.perf.tools.PerftestException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** A test, from the client's first message to the server's last. */
final class UcxSession {

    /** Is notified of a test's progress. */
    interface SessionListener {

        /** Ignores everything. */
        SessionListener NO_LISTENER = new SessionListener() {};

        /** Both ends know the test. */
        default void begin(UcxPlan plan) {}

        /** The warm-up had this many messages or round trips. */
        default void warmedUp(long iterations) {}

        /** Counts the times of all measured operations, in nanoseconds, if somebody wants them. */
        default Optional<Histogram> times() {
            return Optional.empty();
        }

        /** What was measured so far, or in the end. */
        default void report(UcxResult result, boolean last) {}
    }

    private static final int IN_PROGRESS = 1;
    private static final int FAILED = -1;
    private static final double NANOS = 1e9;

    private final UcxEnd end;
    private final UcxClock clock;

    private UcxSession(UcxEnd end, SessionListener listener) {
        this.end = end;
        this.clock = new UcxClock(end.plan, listener.times(), result -> listener.report(result, false));
    }

    /** Runs a test with a server that knows a layout, as every server here does; returns the result. */
    static UcxResult client(
            UcxPlan plan, UcxLayout layout, UcxLink link, UcxEnd.Binding binding, SessionListener listener)
            throws IOException {
        listener.begin(plan);
        link.send(UcxParameters.encode(plan, layout));
        return run(plan, link, binding, false, listener);
    }

    /** Runs the test that a client asks for. */
    static void serve(UcxLink link, UcxEnd.Binding binding, SessionListener listener) throws IOException {
        UcxPlan plan = requested(link);
        listener.begin(plan);
        run(plan, link, binding, true, listener);
    }

    private static UcxPlan requested(UcxLink link) throws IOException {
        byte[] begin = link.receive(UcxLayout.SHORTEST);
        UcxLayout layout = UcxLayout.of(begin);
        byte[] rest = link.receive(layout.bytes - begin.length);
        byte[] struct = Arrays.copyOf(begin, layout.bytes);
        System.arraycopy(rest, 0, struct, begin.length, rest.length);
        try {
            byte[] sizes = link.receive(UcxParameters.parts(struct) * Long.BYTES);
            return UcxParameters.decode(struct, sizes);
        } catch (IllegalArgumentException e) {
            throw new PerftestException(link.peer() + " asks for something impossible: " + e.getMessage(), e);
        }
    }

    private static UcxResult run(
            UcxPlan plan, UcxLink link, UcxEnd.Binding binding, boolean server, SessionListener listener)
            throws IOException {
        try (UcxEnd end = binding.open(plan, server, link)) {
            var session = new UcxSession(end, listener);
            session.connect();
            listener.warmedUp(session.warmUp());
            session.measure(plan.iterations() == 0 ? Long.MAX_VALUE : plan.iterations());
            end.barrier();
            UcxResult result = session.clock.result();
            listener.report(result, true);
            end.barrier();
            end.disconnect();
            end.barrier();
            return result;
        }
    }

    private void connect() throws IOException {
        end.link.sendSized(end.introduction().encode());
        byte[] theirs = end.link.receiveSized(EndpointInfo.MAX_BYTES);
        try {
            end.connect(EndpointInfo.decode(theirs));
        } catch (IllegalArgumentException | RdmaException e) {
            end.link.sendSized(new byte[] {FAILED});
            throw new PerftestException(
                    "cannot connect to the end that " + end.link.peer() + " announced: " + e.getMessage(), e);
        }
        int status = end.link.exchangeStatus(0);
        if (status != 0) {
            throw new PerftestException(end.link.peer() + " cannot connect to this end: status " + status);
        }
        end.flush();
    }

    /**
     * Makes ever longer runs until there were enough iterations, or until the time is up at both ends; returns how many
     * there were.
     */
    private long warmUp() throws IOException {
        long limit = (long) (end.plan.warmUpSeconds() * NANOS);
        long begin = System.nanoTime();
        long next = 1;
        long done = 0;
        while (done < end.plan.warmUp()) {
            measure(next);
            done += next;
            next *= 2;
            end.barrier();
            int status = end.link.exchangeStatus(System.nanoTime() - begin > limit ? 0 : IN_PROGRESS);
            if (status == 0) {
                break;
            }
            if (status != IN_PROGRESS) {
                throw new PerftestException(end.link.peer() + " has failed with status " + status);
            }
        }
        return done;
    }

    private void measure(long iterations) throws IOException {
        UcxLoop loop = end.loop();
        loop.begin();
        end.barrier();
        int most = clock.block();
        clock.start();
        for (long left = iterations; left > 0; ) {
            int count = (int) Math.min(left, most);
            loop.run(count);
            end.link.touch(clock.stamp(count)); // the clock is read once a message, as in C
            left -= count;
        }
        loop.finish();
        end.flush();
        clock.stop();
        end.barrier();
    }
}
