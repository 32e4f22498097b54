// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.JitCompilers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** One end of a test of {@code ucx_perftest}, for whoever wants the figures rather than what is printed. */
public final class UcxPeer {

    /** For the client to get ready. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final double MICROS = 1e6;

    private UcxPeer() {}

    /** The ways for a JVM to UCX. */
    public enum Binding {
        /** This project's. */
        JAVA,
        /** UCX' own, by JNI. */
        JUCX;

        private UcxBinding ends() {
            return this == JUCX ? JucxEnd::new : JavaEnd::new;
        }
    }

    /**
     * What a client has measured.
     *
     * @param iterations how many there were
     * @param warmedUp how many were before them, and are not measured
     * @param averageMicros of an operation, of a ping-pong half a round trip
     * @param percentileMicros the percentile that was asked for, of the last messages
     * @param perSecond messages, of a ping-pong in both directions
     * @param compileMillis how long this JVM's compilers were at work while it was measured
     */
    public record Result(
            long iterations,
            long warmedUp,
            double averageMicros,
            double percentileMicros,
            double perSecond,
            long compileMillis) {}

    /**
     * Serves one client. Blocks until the test is over.
     *
     * @param binding how
     * @param at the address to listen at
     * @return how long this JVM's compilers were at work while it was measured, milliseconds
     * @throws IOException if nobody comes, or the test fails
     */
    public static long serve(Binding binding, InetSocketAddress at) throws IOException {
        try (UcxLink link = new UcxLink(accept(at))) {
            var listener = new WarmUp();
            UcxSession.serve(link, binding.ends(), listener);
            return listener.compileMillis;
        }
    }

    private static SocketChannel accept(InetSocketAddress at) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(at);
            server.socket().setSoTimeout((int) PATIENCE.toMillis());
            return server.socket().accept().getChannel(); // the channel's own accept has no limit
        } catch (SocketTimeoutException e) {
            throw new IOException("no client came to " + at + " within " + PATIENCE.toSeconds() + " s", e);
        }
    }

    /**
     * Runs a client. Blocks until the test is over.
     *
     * @param binding how
     * @param words the flags of {@code ucx_perftest}, with the server's address
     * @return what was measured
     * @throws IOException if the test fails
     */
    public static Result ask(Binding binding, List<String> words) throws IOException {
        var line = new Line();
        new CommandLine(line).parseArgs(words.toArray(String[]::new));
        line.options.check();
        UcxPlan plan = line.options.plan();
        var server = new InetSocketAddress(line.options.server().orElseThrow(), line.options.port());
        try (var link = UcxLink.connect(server)) {
            var warmUp = new WarmUp();
            UcxResult result = UcxSession.client(plan, UcxLayout.V1_13, link, binding.ends(), warmUp);
            return new Result(
                    result.iterations(),
                    warmUp.iterations,
                    result.latency() * MICROS,
                    result.percentile() * MICROS,
                    result.rate(),
                    warmUp.compileMillis);
        }
    }

    /** How long the warm-up was, and when it was over and the rest, is all that it wants to hear. */
    private static final class WarmUp implements UcxSession.Listener {

        private long iterations;
        private long compiled;
        private long compileMillis;

        @Override
        public void begin(UcxPlan plan) {}

        @Override
        public void warmedUp(long count) {
            iterations = count;
            compiled = JitCompilers.millis();
        }

        @Override
        public void report(UcxResult result, boolean last) {
            compileMillis = JitCompilers.millis() - compiled;
        }
    }

    /** Gives the options a command. */
    @Command
    private static final class Line {

        @Mixin
        private UcxOptions options = new UcxOptions();
    }
}
