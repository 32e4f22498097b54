package dev.isthmus.perf.demo;

import dev.isthmus.perf.perftest.PerftestException;
import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One end of a ping-pong of tagged messages: per iteration what {@code ucx_perftest -t tag_lat} does, one send and one
 * receive, but for its look at the clock. Allocates nothing while it runs. Confined to the thread that made it.
 */
final class TagPingPong implements AutoCloseable {

    /** Round trips between two looks at the clock. */
    static final int BETWEEN_STAMPS = 32;

    private static final long TAG = 0x1337a880L;
    private static final int PROGRESS_BETWEEN_LOOKS = 1 << 12;
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Nanoseconds there and back in a microsecond one way. */
    private static final double ROUND_TRIP_NANOS = 2_000;

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

    /**
     * Sends first; returns the clock before the first message and after each {@value #BETWEEN_STAMPS} answers. The clock is
     * not read after each, as ucx_perftest does: System.nanoTime() waits for what the processor has begun, which costs
     * several times what reading the time-stamp counter costs C.
     */
    long[] runClient(int bytes, int iterations) throws IOException {
        int stamps = Math.max(1, iterations / BETWEEN_STAMPS);
        long[] times = new long[stamps + 1];
        times[0] = System.nanoTime();
        for (int i = 1; i <= stamps; i++) {
            askRepeatedly(bytes);
            times[i] = System.nanoTime();
        }
        return times;
    }

    private void askRepeatedly(int bytes) throws IOException {
        for (int i = 0; i < BETWEEN_STAMPS; i++) {
            ask(bytes);
        }
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
        int answers = Math.max(1, iterations / BETWEEN_STAMPS) * BETWEEN_STAMPS;
        for (int i = 0; i < answers; i++) {
            answer(bytes);
        }
    }

    /** Answers first, and tidies up while the answer is on its way. */
    private void answer(int bytes) throws IOException {
        long received = worker.tagReceive(incoming, 0, bytes, TAG, UcpWorker.EXACT_TAG);
        await(received);
        long sent = endpoint.tagSend(outgoing, 0, bytes, TAG);
        finish(received);
        if (sent != 0) {
            finish(sent);
        }
    }

    /** The median and the mean of half the round trips. */
    static Latency latency(long[] times) {
        int count = times.length - 1;
        long[] batches = new long[count];
        for (int i = 0; i < count; i++) {
            batches[i] = times[i + 1] - times[i];
        }
        Arrays.sort(batches);
        double perMicro = ROUND_TRIP_NANOS * BETWEEN_STAMPS;
        return new Latency(batches[count / 2] / perMicro, (times[count] - times[0]) / perMicro / count);
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

    /** Progresses until something happens, or for a moment; false for that. The request is not looked at meanwhile. */
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
        // Both ends close at about the same time, and a graceful end would wait for the other's help.
        if (endpoint != null) {
            endpoint.closeForcibly();
        }
        worker.close();
        context.close();
        arena.close();
    }
}
