package dev.isthmus.ucx;

import java.time.Duration;

/**
 * What a {@link UcpWorker} is made with: {@code ucp_worker_params_t} and what this library adds. Used by one thread,
 * inside {@link UcpContext#createWorker(java.util.function.Consumer)}.
 */
public final class UcpWorkerConfig {

    private int reservedRequests = 256;
    private Duration closeTimeout = Duration.ofSeconds(2);

    UcpWorkerConfig() {}

    /**
     * Reserves memory for so many outstanding operations, 256 if not said. More are possible, up to {@value
     * RequestSlots#MAX_SLOTS}: the reserve then doubles, which allocates.
     *
     * @param count how many
     * @return this
     * @throws IllegalArgumentException if it is not positive or above the limit
     */
    public UcpWorkerConfig reservedRequests(int count) {
        if (count < 1 || count > RequestSlots.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "reservedRequests is 1 to " + RequestSlots.MAX_SLOTS + ", and here is " + count);
        }
        reservedRequests = count;
        return this;
    }

    /**
     * How long closing an endpoint or the worker may wait for operations to end, two seconds if not said.
     *
     * @param timeout zero not to wait
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public UcpWorkerConfig closeTimeout(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("closeTimeout is negative: " + timeout);
        }
        closeTimeout = timeout;
        return this;
    }

    int reservedRequests() {
        return reservedRequests;
    }

    Duration closeTimeout() {
        return closeTimeout;
    }
}
