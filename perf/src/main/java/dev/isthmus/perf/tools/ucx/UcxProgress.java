// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcsStatus;
import java.io.IOException;

/** Progresses a worker until something has happened, and checks now and then whether the peer is alive. */
final class UcxProgress {

    private static final int PASSES_BETWEEN_CHECKS = 1 << 12;
    private static final int PAUSES_BETWEEN_CHECKS = 1 << 20;

    private final UcpWorker worker;
    private final UcpRequests requests;
    private final UcxLink link;
    private final boolean limited;
    private int idle;

    UcxProgress(UcpWorker worker, UcxLink link, boolean limited) {
        this.worker = worker;
        this.requests = worker.requests();
        this.link = link;
        this.limited = limited;
    }

    /** Progresses once. */
    void pass() throws IOException {
        if (worker.progress() == 0 && ++idle >= PASSES_BETWEEN_CHECKS) {
            checkPeer();
        }
    }

    /** Does not progress, as the test forbids it, but checks the peer now and then. */
    void idle() throws IOException {
        if (++idle >= PAUSES_BETWEEN_CHECKS) {
            checkPeer();
        }
    }

    /** Checks whether the peer is alive. */
    void checkPeer() throws IOException {
        idle = 0;
        link.checkPeer(limited);
    }

    /** Progresses until an operation is done, and releases it. */
    void finish(long request) throws IOException {
        if (request != 0) {
            await(request);
            requests.release(request);
        }
    }

    /** Progresses until a receive is done, and releases it; returns the received length. */
    long finishReceive(long request) throws IOException {
        await(request);
        long length = requests.length(request);
        requests.release(request);
        return length;
    }

    private void await(long request) throws IOException {
        while (!requests.isDone(request)) {
            progress();
        }
        int status = requests.statusCode(request);
        if (status != 0) {
            throw new PerftestException("an operation has failed: " + UcsStatus.of(status) + " (" + status + ")");
        }
    }

    /** Progresses until something happens, or for a moment, without checking the request. */
    private void progress() throws IOException {
        for (int i = 0; i < PASSES_BETWEEN_CHECKS; i++) {
            if (worker.progress() != 0) {
                return;
            }
        }
        checkPeer();
    }
}
