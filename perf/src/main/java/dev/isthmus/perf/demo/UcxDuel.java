// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.ucx.UcxVersion;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;

/** {@code ucx_perftest} against ours: tagged messages over shared memory, on this machine. */
final class UcxDuel {

    static final String PATH = "ucx";

    private static final int PORT = 18517;
    private static final String TRANSPORTS = "posix,self";

    /** A message takes a hundredth of what it takes in the testbed; {@code ucx_perftest} looks at the last 2048. */
    private static final int ITERATIONS_FACTOR = 10;

    /**
     * A round takes a sixth of a second, most of it to start {@code ucx_perftest}. A virtual machine's processors are moved
     * about meanwhile, which makes a round up to five times slower: a median of few is then of the machine's moods.
     */
    private static final int ROUNDS_FACTOR = 2;

    private static final Duel.WarmUp WARM_UP = new Duel.WarmUp(300_000, 3_000_000, Duration.ofSeconds(10), 0.05);

    private UcxDuel() {}

    static void run(DuelOptions options, Event.Printer out) throws IOException, InterruptedException {
        out.begin();
        out.machine(Machine.here(
                "shared memory (UCX_TLS=" + TRANSPORTS + ") on " + Machine.virtualization(),
                Map.of("UCX", UcxVersion.loaded().toString())));
        try (var children = new Children();
                var c = new CTagLat(Map.of("UCX_TLS", TRANSPORTS), PORT, children);
                var java = new JavaTagLat(Map.of("TLS", TRANSPORTS), Collections.max(options.sizes()), children)) {
            int iterations = options.iterations() * ITERATIONS_FACTOR;
            int rounds = options.rounds() * ROUNDS_FACTOR;
            new Duel(PATH, options.sizes(), iterations, rounds, WARM_UP).run(c, java, out);
        }
    }
}
