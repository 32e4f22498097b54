// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.ToolRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code rstream}. */
final class StreamTool implements ToolRunner.Tool {

    /** The head of the table, which a server prints once it listens. */
    private static final String HEAD = "usec/xfer";

    /** What it prints arrives line by line. */
    @Override
    public List<String> server(Runner.Share share) {
        List<String> command = new ArrayList<>(List.of("stdbuf", "-oL", StreamFlags.PROGRAM));
        command.addAll(StreamFlags.server(share.point(), share.near(), share.port(), share.iterations()));
        return command;
    }

    @Override
    public List<String> client(Runner.Share share) {
        List<String> command = new ArrayList<>(List.of(StreamFlags.PROGRAM));
        command.addAll(StreamFlags.client(share.point(), share.far(), share.near(), share.port(), share.iterations()));
        return command;
    }

    @Override
    public int usualPort() {
        return 7471;
    }

    @Override
    public void awaitListening(ToolRun server, int port) throws IOException, InterruptedException {
        server.awaitPrinted(HEAD);
    }

    @Override
    public Measured read(Point point, long iterations, String output) throws IOException {
        return StreamFlags.read(point.benchmark(), iterations, output);
    }
}
