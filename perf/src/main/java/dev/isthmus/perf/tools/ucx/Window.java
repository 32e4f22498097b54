// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;

/** The outstanding operations, up to a limit. The oldest is awaited first. */
final class Window {

    private static final int MOST = 1 << 15;

    private final UcxEnd end;
    private long[] requests;
    private int oldest;
    private int count;

    Window(UcxEnd end, int size) {
        this.end = end;
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

    /**
     * Adds an operation where waiting is impossible. Within one progress, some can end, which shows only afterwards, while
     * others take their place.
     */
    void addOneMore(long request) {
        if (count == requests.length) {
            if (count >= MOST) {
                throw new IllegalStateException("more active messages have arrived at once than the window allows");
            }
            long[] more = new long[2 * count];
            for (int i = 0; i < count; i++) {
                more[i] = requests[(oldest + i) % count];
            }
            requests = more;
            oldest = 0;
        }
        add(request);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Waits for the oldest. */
    void finishOldest() throws IOException {
        long request = requests[oldest];
        oldest = oldest + 1 == requests.length ? 0 : oldest + 1;
        count--;
        end.finish(request);
    }

    /** Waits for all. */
    void drain() throws IOException {
        while (count > 0) {
            finishOldest();
        }
    }
}
