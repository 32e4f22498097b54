// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.perftest.PerftestException;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcsStatus;
import java.io.IOException;

/** Progresses a worker until something has happened, and looks now and then whether the peer still lives. */
final class Waiting {

    private static final int PASSES_BETWEEN_LOOKS = 1 << 12;
    private static final int PAUSES_BETWEEN_LOOKS = 1 << 20;

    private final UcpWorker worker;
    private final UcpRequests requests;
    private final UcxLink link;
    private final boolean limited;
    private int idle;

    Waiting(UcpWorker worker, UcxLink link, boolean limited) {
        this.worker = worker;
        this.requests = worker.requests();
        this.link = link;
        this.limited = limited;
    }

    /** Progresses once. */
    void pass() throws IOException {
        if (worker.progress() == 0 && ++idle >= PASSES_BETWEEN_LOOKS) {
            look();
        }
    }

    /** Does not progress, because the test is that nobody does, but looks now and then. */
    void idle() throws IOException {
        if (++idle >= PAUSES_BETWEEN_LOOKS) {
            look();
        }
    }

    /** Looks whether the peer still lives. */
    void look() throws IOException {
        idle = 0;
        link.checkPeer(limited);
    }

    /** Progresses until an operation is done, and releases it. */
    void finish(long request) throws IOException {
        if (request != 0) {
            await(request);
            check(requests.statusCode(request));
            requests.release(request);
        }
    }

    /** Progresses until a receive is done, and releases it; the length that it got. */
    long finishReceive(long request) throws IOException {
        await(request);
        check(requests.statusCode(request));
        long length = requests.length(request);
        requests.release(request);
        return length;
    }

    private void await(long request) throws IOException {
        while (!requests.isDone(request)) {
            progress();
        }
    }

    /** Until something happens, or for a moment. The request is not looked at meanwhile. */
    private void progress() throws IOException {
        for (int i = 0; i < PASSES_BETWEEN_LOOKS; i++) {
            if (worker.progress() != 0) {
                return;
            }
        }
        look();
    }

    private static void check(int status) throws IOException {
        if (status != 0) {
            throw new PerftestException("an operation has failed: " + UcsStatus.of(status) + " (" + status + ")");
        }
    }
}
