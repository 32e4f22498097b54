// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import java.util.concurrent.atomic.LongAdder;

/** What the channels of this process have sent and received, and what they have copied. Any thread may read it. */
public final class RdmaCounters {

    static final RdmaCounters TOTAL = new RdmaCounters();

    final LongAdder sent = new LongAdder();
    final LongAdder sentCopied = new LongAdder();
    final LongAdder lent = new LongAdder();
    final LongAdder receivedCopied = new LongAdder();

    private RdmaCounters() {}

    /**
     * The counters of this process.
     *
     * @return the counters, which begin with zero when the process does
     */
    public static RdmaCounters total() {
        return TOTAL;
    }

    /**
     * How many bytes were sent from registered buffers.
     *
     * @return bytes that were not copied
     */
    public long sentBytes() {
        return sent.sum();
    }

    /**
     * How many bytes of other buffers were sent: heap buffers, direct ones of other allocators, files.
     *
     * @return bytes that were copied into registered memory
     */
    public long copiedSentBytes() {
        return sentCopied.sum();
    }

    /**
     * How many received bytes were handed to the program where they had arrived.
     *
     * @return bytes that were not copied
     */
    public long lentBytes() {
        return lent.sum();
    }

    /**
     * How many received bytes were copied into buffers of the channel's allocator, because the program kept as many as
     * {@link RdmaChannelOption#MAX_KEPT} allows.
     *
     * @return bytes that were copied
     */
    public long copiedReceivedBytes() {
        return receivedCopied.sum();
    }
}
