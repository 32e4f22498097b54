// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpRemoteMemory;
import java.io.IOException;

/** Gets, in one direction: the server only progresses. */
final class GetLoop extends JavaLoop {

    private final UcpRemoteMemory remote;

    GetLoop(JavaEnd end) {
        super(end);
        remote = end.remote;
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    void send() throws IOException {
        sends.room();
        sends.add(remote.get(outgoing, 0, bytes, 0));
    }
}
