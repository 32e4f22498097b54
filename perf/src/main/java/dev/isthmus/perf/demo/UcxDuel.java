// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.perf.Machine;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.ucx.UcxPerftest;
import dev.isthmus.ucx.UcxVersion;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code ucx_perftest} against ours: tagged messages over shared memory, on this machine, in a JVM of its own, so that both
 * ends run with the same options. Prints {@link Event}s.
 */
@Command(name = "demo-ucx", hidden = true)
public final class UcxDuel implements Callable<Integer> {

    static final String PATH = "ucx";

    private static final String TRANSPORTS = "posix,self";

    /** A message takes a hundredth of its time in the testbed; {@code ucx_perftest} uses the last 2048. */
    private static final int ITERATIONS_FACTOR = 10;

    /**
     * A round takes a sixth of a second, most of it to start {@code ucx_perftest}. A host moves a virtual machine's
     * processors about, which makes a round up to five times slower: a median of few rounds would show the
     * machine's moods.
     */
    private static final int ROUNDS_FACTOR = 2;

    private static final Duel.WarmUp WARM_UP = new Duel.WarmUp(300_000, 3_000_000, Duration.ofSeconds(10), 0.05);

    /** The warm-up of {@code ucx_perftest}, before it counts; what it takes when not told otherwise. */
    private static final int C_WARM_UP = 10_000;

    @Mixin
    private DuelOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException {
        var out = new Event.Printer(System.out);
        out.begin();
        out.machine(Machine.here(
                "shared memory (UCX_TLS=" + TRANSPORTS + ") on " + Machine.virtualization(),
                Map.of("UCX", UcxVersion.loaded().toString())));
        try (var children = new Children();
                var java = new JavaTagLat(Map.of("TLS", TRANSPORTS), Collections.max(options.sizes()), children)) {
            var tool = new UcxPerftest(Map.of("UCX_TLS", TRANSPORTS), children);
            int iterations = options.iterations() * ITERATIONS_FACTOR;
            int rounds = options.rounds() * ROUNDS_FACTOR;
            new Duel(PATH, options.sizes(), iterations, rounds, WARM_UP)
                    .run((bytes, messages) -> c(tool, bytes, messages), java, out);
        }
        return 0;
    }

    private static Latency c(UcxPerftest tool, int bytes, int iterations) throws IOException, InterruptedException {
        List<String> test = List.of("-t", "tag_lat", "-s", "" + bytes, "-n", "" + iterations, "-w", "" + C_WARM_UP);
        UcxPerftest.Results results = tool.measure(test, Contestant.limit(iterations));
        return new Latency(results.percentileMicros(), results.averageMicros());
    }
}
