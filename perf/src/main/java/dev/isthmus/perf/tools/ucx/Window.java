// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** The outstanding operations, up to a limit. The oldest is awaited first. */
final class Window {

    private final UcxProgress waiting;
    private long[] requests;
    private int oldest;
    private int count;

    Window(UcxProgress waiting, int size) {
        this.waiting = waiting;
        this.requests = new long[size];
    }

    /** Returns when there is room for one more. */
    void room() throws IOException {
        if (count == requests.length) {
            finishOldest();
        }
    }

    /** Adds an operation that was begun after {@link #room}; 0 if it is done already. */
    void add(long request) {
        if (request != 0) {
            int at = oldest + count;
            requests[at < requests.length ? at : at - requests.length] = request;
            count++;
        }
    }

    boolean isFull() {
        return count == requests.length;
    }

    /** Doubles the room, for where waiting is impossible. */
    void grow() {
        long[] more = new long[2 * requests.length];
        for (int i = 0; i < count; i++) {
            more[i] = requests[(oldest + i) % requests.length];
        }
        requests = more;
        oldest = 0;
    }

    int size() {
        return requests.length;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Waits for the oldest. */
    void finishOldest() throws IOException {
        long request = requests[oldest];
        oldest = oldest + 1 == requests.length ? 0 : oldest + 1;
        count--;
        waiting.finish(request);
    }

    /** Waits for all. */
    void drain() throws IOException {
        while (count > 0) {
            finishOldest();
        }
    }
}
