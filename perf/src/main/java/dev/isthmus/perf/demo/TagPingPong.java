// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.perf.perftest.PerftestException;
import dev.isthmus.perf.ucx.LastTimes;
import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One end of a ping-pong of tagged messages. Each iteration does what {@code ucx_perftest -t tag_lat} does: one send,
 * one receive, and one reading of the clock. Allocates nothing while it runs. Confined to the thread that created it.
 */
final class TagPingPong implements AutoCloseable {

    private static final long TAG = 0x1337a880L;
    private static final int PROGRESS_BETWEEN_LOOKS = 1 << 12;
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Nanoseconds of a round trip for a one-way microsecond. */
    private static final double ROUND_TRIP_NANOS = 2_000;

    private static final double MEDIAN = 50;

    private final LastTimes times = new LastTimes();
    private final Arena arena = Arena.ofConfined();
    private final UcpContext context;
    private final UcpWorker worker;
    private final UcpRequests requests;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private UcpEndpoint endpoint;

    TagPingPong(Map<String, String> settings, int maxBytes) {
        context = UcpContext.create(config -> settings.forEach(config::set));
        worker = context.createWorker();
        requests = worker.requests();
        outgoing = arena.allocate(maxBytes, 4096);
        incoming = arena.allocate(maxBytes, 4096);
    }

    byte[] address() {
        return worker.address().toByteArray();
    }

    void connect(byte[] peer) {
        endpoint = worker.createEndpoint(UcpAddress.of(peer));
    }

    /** Sends first. Half a round trip: the median of the last ones, as ucx_perftest takes it, and the mean of all. */
    Latency runClient(int bytes, int iterations) throws IOException {
        times.clear();
        long begin = System.nanoTime();
        long last = begin;
        for (int i = 0; i < iterations; i++) {
            ask(bytes);
            last = stamp(last);
        }
        return new Latency(times.percentile(MEDIAN) / ROUND_TRIP_NANOS, (last - begin) / ROUND_TRIP_NANOS / iterations);
    }

    private long stamp(long last) {
        long now = System.nanoTime();
        times.add((double) (now - last));
        return now;
    }

    private void ask(int bytes) throws IOException {
        long sent = endpoint.tagSend(outgoing, 0, bytes, TAG);
        long received = worker.tagReceive(incoming, 0, bytes, TAG, UcpWorker.EXACT_TAG);
        finish(received);
        if (sent != 0) {
            finish(sent);
        }
    }

    /** Answers each message. */
    void runServer(int bytes, int iterations) throws IOException {
        times.clear();
        long last = System.nanoTime();
        for (int i = 0; i < iterations; i++) {
            answer(bytes);
            last = stamp(last); // unused, but ucx_perftest reads its clock here, too
        }
    }

    /** Answers first, and cleans up while the answer is on its way. */
    private void answer(int bytes) throws IOException {
        long received = worker.tagReceive(incoming, 0, bytes, TAG, UcpWorker.EXACT_TAG);
        await(received);
        long sent = endpoint.tagSend(outgoing, 0, bytes, TAG);
        finish(received);
        if (sent != 0) {
            finish(sent);
        }
    }

    private void finish(long request) throws IOException {
        await(request);
        int status = requests.statusCode(request);
        requests.release(request);
        if (status != 0) {
            throw new PerftestException("a message failed with status " + status);
        }
    }

    private void await(long request) throws IOException {
        long since = 0;
        while (!requests.isDone(request)) {
            if (!progress()) {
                since = checkSilence(since);
            }
        }
    }

    /**
     * Progresses until something happens; returns false if nothing does for a moment. Does not check the
     * request meanwhile.
     */
    private boolean progress() {
        for (int i = 0; i < PROGRESS_BETWEEN_LOOKS; i++) {
            if (worker.progress() != 0) {
                return true;
            }
        }
        return false;
    }

    private static long checkSilence(long since) throws IOException {
        long now = System.nanoTime();
        if (since != 0 && now - since > SILENCE_NANOS) {
            throw new PerftestException(
                    "no message from the other JVM for " + TimeUnit.NANOSECONDS.toSeconds(SILENCE_NANOS) + " s");
        }
        return since == 0 ? now : since;
    }

    @Override
    public void close() {
        // Both ends close at about the same time, and a graceful close would need the other end's progress.
        if (endpoint != null) {
            endpoint.closeForcibly();
        }
        worker.close();
        context.close();
        arena.close();
    }
}
