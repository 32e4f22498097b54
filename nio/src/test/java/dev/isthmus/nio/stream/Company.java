// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.isthmus.nio.Hosts;
import dev.isthmus.testbed.LogListener;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The surroundings of hostile peers: a listener, an uninvolved connection that must notice nothing, and the log. */
final class Company implements AutoCloseable {

    private static final int MOST_LOGGED = 1000;
    private static final Pattern REASON = Pattern.compile("(is reset|was refused): (.*)", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("-?\\d+");

    private final Deque<String> logged = new ArrayDeque<>(); // the last; guarded by itself
    private final Map<String, Integer> reasons = new ConcurrentSkipListMap<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final LogListener log = new LogListener("dev.isthmus.nio", Level.ALL, this::hear);
    private final StreamListener listening;
    private final Stream near;
    private final Stream far;

    Company() throws Exception {
        this(StreamOptions.DEFAULT);
    }

    /** Accepted connections have these options. */
    Company(StreamOptions options) throws Exception {
        listening =
                StreamListener.listen(new InetSocketAddress(Hosts.far(), 0), 64, false, () -> options, anyone -> true);
        near = connect(address()).get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        far = accept();
    }

    static CompletableFuture<Stream> connect(InetSocketAddress to) throws IOException {
        return Service.get().connect(null, to, StreamOptions.DEFAULT, 0, TestDeadlines.ofSeconds(60));
    }

    InetSocketAddress address() {
        return listening.localAddress();
    }

    Stream accept() throws Exception {
        Stream next = accept(Deadlines.after(TestDeadlines.ofSeconds(60).toMillis()));
        assertNotNull(next);
        return next;
    }

    /** The next connection; null if nobody makes one in time. */
    Stream accept(long deadline) throws Exception {
        return listening.accept(deadline);
    }

    /** The next connection; null if nobody has made one. */
    Stream acceptNow() throws Exception {
        return listening.accept(Deadlines.NEVER);
    }

    /** How many times something was logged. */
    long logged(String part) {
        synchronized (logged) {
            return logged.stream().filter(message -> message.contains(part)).count();
        }
    }

    /** The logged errors of this side. */
    List<String> errors() {
        return errors;
    }

    /** Why connections were reset or refused, without the numbers, and how many times. */
    Map<String, Integer> reasons() {
        return reasons;
    }

    private void hear(LogRecord record) {
        String message = record.getMessage();
        Matcher matcher = REASON.matcher(message);
        if (matcher.find()) {
            keep(message);
            reasons.merge(NUMBER.matcher(matcher.group(2)).replaceAll("N"), 1, Integer::sum);
        }
        if (record.getLevel().intValue() >= Level.SEVERE.intValue()
                || (record.getLevel().equals(Level.WARNING) && record.getThrown() != null)) {
            errors.add(message + ": " + record.getThrown());
        }
    }

    private void keep(String message) {
        synchronized (logged) {
            logged.add(message);
            if (logged.size() > MOST_LOGGED) {
                logged.remove();
            }
        }
    }

    /** How many times a reset of a connection was logged. */
    long resets(Stream stream) {
        return logged(stream + " is reset");
    }

    /** A later connection may have the same addresses: the kernel picks a client's port at random. */
    void forgetResets(Stream stream) {
        synchronized (logged) {
            logged.removeIf(message -> message.contains(stream + " is reset"));
        }
    }

    /** Checks that the uninvolved connection works in both directions. */
    void exchange() throws Exception {
        exchange(near, far);
        exchange(far, near);
    }

    /** Checks that the uninvolved connection works in both directions, and so does a new one. */
    void assertWell() throws Exception {
        exchange();
        Stream one = connect(address()).get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        Stream other = accept();
        while (!other.peerAddress().equals(one.localAddress())) { // a hostile peer's, which came late
            other.close(true);
            other = accept();
        }
        exchange(one, other);
        one.close(true);
        other.close(true);
        assertEquals(0, resets(near) + resets(far));
    }

    private static void exchange(Stream from, Stream to) throws IOException, InterruptedException {
        byte[] sent = {1, 2, 3};
        assertEquals(
                3,
                from.write(
                        ByteBuffer.wrap(sent),
                        Deadlines.after(TestDeadlines.ofSeconds(60).toMillis())));
        ByteBuffer into = ByteBuffer.allocate(10);
        assertEquals(
                3, to.read(into, Deadlines.after(TestDeadlines.ofSeconds(60).toMillis())));
        assertEquals(-1, into.flip().mismatch(ByteBuffer.wrap(sent)));
    }

    /** Returns when nothing of it is left. */
    @Override
    public void close() {
        near.close(true);
        far.close(true);
        listening.close();
        near.released().join();
        far.released().join();
        log.close();
    }
}
