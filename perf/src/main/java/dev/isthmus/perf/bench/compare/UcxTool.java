// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.tools.ucx.UcxPerftest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code ucx_perftest}.
 *
 * @param command its first words
 */
record UcxTool(List<String> command) implements ToolRunner.Tool {

    private static final String HOST = "127.0.0.1";

    @Override
    public List<String> server(Runner.Share share) {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("-p", "" + share.port()));
        return words;
    }

    @Override
    public List<String> client(Runner.Share share) {
        List<String> words = server(share);
        words.addAll(UcxFlags.of(share.point(), share.iterations()));
        words.add(HOST);
        return words;
    }

    @Override
    public Map<String, String> environment(Point point, Venue.End end) {
        return UcxFlags.environment(point, end);
    }

    @Override
    public int usualPort() {
        return 13337;
    }

    @Override
    public Measured read(Point point, long iterations, String output) throws IOException {
        UcxPerftest.Results results = UcxPerftest.parse(output);
        return UcxFlags.measured(
                        point,
                        results.averageMicros(),
                        results.percentileMicros(),
                        results.messagesPerSecond(),
                        iterations)
                .withMessages(0); // it does not say how long its warm-up was
    }
}
