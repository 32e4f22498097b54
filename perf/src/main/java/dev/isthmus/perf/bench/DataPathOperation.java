package dev.isthmus.perf.bench;

import java.util.Locale;

/** What of the data path is timed, in batches: a look at the clock costs as much as a poll. */
enum DataPathOperation {
    POST("post a request", 64, 64) {
        @Override
        long batch(RcLoopback loopback) {
            return loopback.posts(perBatch());
        }
    },
    CHAIN("post a chain of 16", 16, 256) {
        @Override
        long batch(RcLoopback loopback) {
            return loopback.chains(perBatch());
        }
    },
    RECEIVE("post a receive", 64, 64) {
        @Override
        long batch(RcLoopback loopback) {
            return loopback.receives(perBatch());
        }
    },
    EMPTY_POLL("poll, nothing there", 4096, 409) {
        @Override
        long batch(RcLoopback loopback) {
            return loopback.emptyPolls(perBatch());
        }
    },
    FULL_POLL("poll, 16 there", 16, 256) {
        @Override
        long batch(RcLoopback loopback) {
            return loopback.fullPolls(perBatch());
        }
    };

    private final String title;
    private final int perBatch;
    private final int requestsPerBatch;

    DataPathOperation(String title, int perBatch, int requestsPerBatch) {
        this.title = title;
        this.perBatch = perBatch;
        this.requestsPerBatch = requestsPerBatch;
    }

    /** Runs a batch; the nanoseconds that its operations took, without what prepares and drains. */
    abstract long batch(RcLoopback loopback);

    int perBatch() {
        return perBatch;
    }

    /** How far a batch warms up; ten empty polls count as a request. */
    int requestsPerBatch() {
        return requestsPerBatch;
    }

    String title() {
        return title;
    }

    /** What the C program is told. */
    String command(int batches) {
        return name().toLowerCase(Locale.ROOT) + " " + batches + " " + perBatch;
    }
}
