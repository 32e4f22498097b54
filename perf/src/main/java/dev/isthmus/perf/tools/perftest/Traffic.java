// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.SendOpcode;
import java.util.Optional;

/**
 * What goes over the wire.
 *
 * @param transport RC, UC or UD
 * @param bytes the size of a message, with all sizes the largest
 * @param sizeGiven whether it was asked for
 * @param allSizes whether there is a run for each power of two
 * @param iterations how many, per queue pair; 0 with a duration
 * @param seconds how long; 0 with a number of iterations
 * @param margin how many of the seconds to leave out, at the beginning and at the end
 * @param bidirectional whether both ends send
 * @param events whether to sleep until completions instead of polling
 * @param atomic which atomic operation
 * @param rate the limit of a bandwidth test
 */
record Traffic(
        QueuePairType transport,
        int bytes,
        boolean sizeGiven,
        boolean allSizes,
        int iterations,
        int seconds,
        int margin,
        boolean bidirectional,
        boolean events,
        SendOpcode atomic,
        Optional<RateLimit> rate) {

    boolean isTimed() {
        return seconds > 0;
    }

    Traffic withBytes(int newBytes) {
        return new Traffic(
                transport,
                newBytes,
                sizeGiven,
                allSizes,
                iterations,
                seconds,
                margin,
                bidirectional,
                events,
                atomic,
                rate);
    }
}
