// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;
import org.openucx.jucx.ucp.UcpRequest;

/** {@link Window} with JUCX's requests, and how to wait for them. */
final class JucxWindow {

    private final JucxEnd end;
    private final UcpRequest[] requests;
    private int oldest;
    private int count;

    JucxWindow(JucxEnd end, int size) {
        this.end = end;
        this.requests = new UcpRequest[size];
    }

    void room() throws IOException {
        if (count == requests.length) {
            finishOldest();
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    void add(UcpRequest request) {
        int at = oldest + count;
        requests[at < requests.length ? at : at - requests.length] = request;
        count++;
    }

    void finishOldest() throws IOException {
        UcpRequest request = requests[oldest];
        oldest = oldest + 1 == requests.length ? 0 : oldest + 1;
        count--;
        end.finish(request);
    }

    void drain() throws IOException {
        while (count > 0) {
            finishOldest();
        }
    }
}
