// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

/**
 * A queue pair in the eyes of a completion queue, from its creation or its last RESET on: where the completions lead. A
 * RESET makes a new one, so that the poller's thread needs no lock against the thread that resets.
 */
final class Completer {

    final int qpNum;
    final SendRing sends;
    final long[] ids; // of the sends
    final ReceiveRing receives;

    long begin; // the completion queue's first entry that can be its own; earlier ones are of an earlier one
    volatile boolean retired; // another one has its number

    Completer(int qpNum, SendRing sends, ReceiveRing receives) {
        this.qpNum = qpNum;
        this.sends = sends;
        this.ids = sends == null ? new long[1] : sends.ids;
        this.receives = receives;
    }
}
