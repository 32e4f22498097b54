// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import static dev.isthmus.verbs.AccessFlag.LOCAL_WRITE;
import static dev.isthmus.verbs.AccessFlag.REMOTE_WRITE;
import static dev.isthmus.verbs.QueuePairType.RC;

import dev.isthmus.perf.JitCompilers;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * One RDMA WRITE at a time, each waited for: the clock is read before it is posted and after its completion. The target
 * has memory and does nothing, so one process owns both ends. {@code writes.c} is the same in C, line by line: what is
 * changed here is changed there. Allocates nothing while it counts, once it has seen the longest.
 */
final class Writes {

    private static final int PORT = 1;
    private static final int DEPTH = 16;
    private static final int DIGITS = 3;
    private static final double MICROS = 1e3;

    private final QueuePair qp;
    private final CompletionQueue queue;
    private final SendRequest request;
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private final Histogram histogram = new Histogram(DIGITS);

    private Writes(QueuePair qp, CompletionQueue queue, SendRequest request) {
        this.qp = qp;
        this.queue = queue;
        this.request = request;
    }

    /** What {@link #run} and the program in C are told. */
    static List<String> words(Point point, Venue venue, long iterations) {
        return List.of(
                venue.client().device().orElseThrow(),
                "" + venue.client().gidIndex().orElse(0),
                venue.server().device().orElseThrow(),
                "" + venue.server().gidIndex().orElse(0),
                "" + point.bytes(),
                "" + iterations);
    }

    /** Makes both ends, and writes. */
    static Measured run(List<String> words) throws IOException {
        int bytes = Integer.parseInt(words.get(4));
        try (DeviceContext client = Device.named(words.get(0)).open();
                DeviceContext server = Device.named(words.get(2)).open();
                ProtectionDomain clientDomain = client.allocateProtectionDomain();
                ProtectionDomain serverDomain = server.allocateProtectionDomain();
                RegisteredMemory source = clientDomain.allocate(bytes, LOCAL_WRITE, REMOTE_WRITE);
                RegisteredMemory target = serverDomain.allocate(bytes, LOCAL_WRITE, REMOTE_WRITE);
                CompletionQueue clientQueue = client.createCompletionQueue(DEPTH);
                CompletionQueue serverQueue = server.createCompletionQueue(DEPTH);
                QueuePair clientPair = clientDomain.createQueuePair(RC, clientQueue, clientQueue);
                QueuePair serverPair = serverDomain.createQueuePair(RC, serverQueue, serverQueue)) {
            GidEntry clientGid = client.gid(PORT, Integer.parseInt(words.get(1)));
            GidEntry serverGid = server.gid(PORT, Integer.parseInt(words.get(3)));
            serverPair.connect(serverGid, clientPair.address(clientGid));
            clientPair.connect(clientGid, serverPair.address(serverGid));
            SendRequest request = SendRequest.prepare(source.region())
                    .range(0, bytes)
                    .opcode(SendOpcode.RDMA_WRITE)
                    .remote(target.region().remoteMemory(), 0)
                    .signaled(true);
            return new Writes(clientPair, clientQueue, request).run(Long.parseLong(words.get(5)));
        }
    }

    private Measured run(long iterations) throws IOException {
        long compiled = JitCompilers.millis();
        long sum = 0;
        for (long i = 0; i < iterations; i++) {
            long nanos = write();
            histogram.recordValue(nanos);
            sum += nanos;
        }
        return measured(
                        sum / MICROS / iterations,
                        histogram.getValueAtPercentile(50) / MICROS,
                        histogram.getValueAtPercentile(99.9) / MICROS,
                        iterations)
                .withCompileMillis(JitCompilers.millis() - compiled);
    }

    private long write() throws IOException {
        long begin = System.nanoTime();
        if (!qp.tryPost(request)) {
            throw new IOException("the send queue is full, though it is drained");
        }
        int found;
        do {
            found = queue.poll(done);
        } while (found == 0);
        long nanos = System.nanoTime() - begin;
        if (!done.isSuccess(0)) {
            throw new IOException("a write failed: " + done);
        }
        return nanos;
    }

    /** Reads what the program in C has printed: the average, the median and the 99.9th percentile. */
    static Measured read(String output, long iterations) throws IOException {
        String[] fields = output.strip().split(" ", -1);
        try {
            return measured(
                    Double.parseDouble(fields[0]),
                    Double.parseDouble(fields[1]),
                    Double.parseDouble(fields[2]),
                    iterations);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("the program printed no figures, but: " + output.strip(), e);
        }
    }

    private static Measured measured(double average, double median, double p999, long iterations) {
        return Measured.times(average, median, p999, 1, iterations);
    }
}
