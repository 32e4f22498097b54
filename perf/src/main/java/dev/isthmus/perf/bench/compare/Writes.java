// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import org.HdrHistogram.Histogram;

/**
 * One RDMA WRITE at a time, each waited for: the clock is read before it is posted and after its completion. The target
 * has memory and does nothing. {@code verbs.c} has the same in C, line by line: change both. Allocates nothing while it
 * counts, once it has seen the longest.
 */
final class Writes {

    private static final int DIGITS = 3;
    private static final double MICROS = 1e3;

    private final QueuePair qp;
    private final CompletionQueue queue;
    private final SendRequest request;
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private final Histogram histogram = new Histogram(DIGITS);

    private Writes(VerbsEnd client, SendRequest request) {
        this.qp = client.pair();
        this.queue = client.queue();
        this.request = request;
    }

    /** Creates both ends, and writes. */
    static Measured run(Job job) throws IOException {
        return VerbsEnd.run(job, job.bytes(), (client, server) -> {
            SendRequest request = SendRequest.prepare(client.region())
                    .range(0, job.bytes())
                    .opcode(SendOpcode.RDMA_WRITE)
                    .remote(server.region().remoteMemory(), 0)
                    .signaled(true);
            return new Writes(client, request).run(job.iterations());
        });
    }

    private Measured run(long iterations) throws IOException {
        Spent before = Spent.soFar();
        long sum = 0;
        for (long i = 0; i < iterations; i++) {
            long nanos = write();
            histogram.recordValue(nanos);
            sum += nanos;
        }
        Spent spent = Spent.soFar().since(before);
        return Measured.times(Distribution.of(histogram), sum / MICROS / iterations, 1)
                .withSpent(spent);
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
}
