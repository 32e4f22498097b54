// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.tools.ucx.UcxPerftest;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The runners of the points, each created when it is first needed. */
final class Runners implements AutoCloseable {

    /** What runs of different points must share to have the same JVMs. */
    private record Key(Way way, Optional<UcxRoute.Transport> transport) {}

    private final Venue venue;
    private final VerbsTwin twin;
    private final Children children;
    private final Comparison.Options options;
    private final Map<Key, Runner> made = new HashMap<>();

    /** Has no runners yet. Their processes belong to {@code children}, which end with this. */
    Runners(Venue venue, VerbsTwin twin, Children children, Comparison.Options options) {
        this.venue = venue;
        this.twin = twin;
        this.children = children;
        this.options = options;
    }

    Runner of(Point point) throws IOException, InterruptedException {
        var key = new Key(shared(point.way()), point.route().map(UcxRoute::transport));
        Runner there = made.get(key);
        if (there == null) {
            there = make(point);
            made.put(key, there);
        }
        return there;
    }

    /** One of the ways that have the same processes. */
    private static Way shared(Way way) {
        return switch (way) {
            case JAVA_VERBS_WRITE, JAVA_VERBS_READ -> Way.JAVA_VERBS_SEND;
            case NIO_NON_BLOCKING -> Way.NIO_BLOCKING;
            default -> way;
        };
    }

    private Runner make(Point point) throws IOException, InterruptedException {
        if (!point.way().isC()) {
            return new JvmRunner(point, twin.isThere(), venue, children, options);
        }
        ToolRunner.Tool tool = switch (point.way().family()) {
            case VERBS -> new VerbsTool();
            case UCX -> new UcxTool(UcxPerftest.words());
            default -> new StreamTool();
        };
        return new ToolRunner(tool, twin, venue, children, options);
    }

    @Override
    public void close() {
        made.values().forEach(Runner::close);
        children.close();
    }
}
