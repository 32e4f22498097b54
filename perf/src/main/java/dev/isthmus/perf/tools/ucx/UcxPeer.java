// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.common.Spent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;

/** One end of a test of {@code ucx_perftest}, for callers that want the figures instead of the output. */
public final class UcxPeer {

    /** How long the client may take to get ready. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int DIGITS = 3;

    private UcxPeer() {}

    /** The bindings of UCX. */
    public enum Binding {
        /** This project's. */
        JAVA,
        /** UCX's own JNI binding. */
        JUCX;

        /** The variables that its JVM needs in its environment. */
        public Map<String, String> environment() {
            // UCX's handler would take the JVM's own signals for a crash.
            return this == JUCX ? Map.of("UCX_ERROR_SIGNALS", "") : Map.of();
        }

        UcxEnd.Binding ends() {
            return this == JUCX ? JucxEnd::new : JavaEnd::new;
        }
    }

    /**
     * What a client has measured.
     *
     * @param figures as {@code ucx_perftest} prints them: times of a ping-pong are half a round trip
     * @param warmedUp how many iterations came before, unmeasured
     * @param spent what this JVM spent while it was measured
     * @param times those of all operations, in nanoseconds, if each was waited for; for a ping-pong, whole round trips
     */
    public record Result(UcxResult figures, long warmedUp, Spent spent, Optional<Histogram> times) {}

    /** Serves one client, until the test is over; returns what this JVM spent while it was measured. */
    public static Spent serve(Binding binding, InetSocketAddress at) throws IOException {
        try (UcxLink link = new UcxLink(accept(at))) {
            var listener = new WarmUpListener(Optional.empty());
            UcxSession.serve(link, binding.ends(), listener);
            return listener.spent;
        }
    }

    /** Waits for a client, with a time limit. */
    static SocketChannel accept(InetSocketAddress at) throws IOException {
        try (ServerSocketChannel server = UcxLink.listen(at)) {
            server.socket().setSoTimeout((int) PATIENCE.toMillis());
            return server.socket().accept().getChannel(); // the channel's own accept has no timeout
        } catch (SocketTimeoutException e) {
            throw new IOException("no client connected to " + at + " within " + PATIENCE.toSeconds() + " s", e);
        }
    }

    /**
     * Runs a client, until the test is over.
     *
     * @param words the flags of {@code ucx_perftest}, with the server's address
     * @param timed whether to keep the times of all operations
     */
    public static Result ask(Binding binding, List<String> words, boolean timed) throws IOException {
        var warmUp = new WarmUpListener(timed ? Optional.of(new Histogram(DIGITS)) : Optional.empty());
        UcxOptions options = CommandLine.populateCommand(new UcxOptions(), words.toArray(String[]::new));
        options.check();
        UcxPlan plan = options.plan();
        var server = new InetSocketAddress(options.server.orElseThrow(), options.port);
        try (var link = UcxLink.connect(server)) {
            UcxResult result = UcxSession.client(plan, UcxLayout.V1_13, link, binding.ends(), warmUp);
            return new Result(
                    result, warmUp.iterations, warmUp.spent, warmUp.times.filter(times -> times.getTotalCount() > 0));
        }
    }

    /** Listens only for the length of the warm-up, and for the times at which it and the rest ended. */
    private static final class WarmUpListener implements UcxSession.SessionListener {

        private long iterations;
        private Spent before = Spent.NOTHING;
        private Spent spent = Spent.NOTHING;
        private final Optional<Histogram> times;

        WarmUpListener(Optional<Histogram> times) {
            this.times = times;
        }

        @Override
        public Optional<Histogram> times() {
            return times;
        }

        @Override
        public void warmedUp(long count) {
            iterations = count;
            before = Spent.soFar();
        }

        @Override
        public void report(UcxResult result, boolean last) {
            spent = Spent.soFar().since(before);
        }
    }
}
