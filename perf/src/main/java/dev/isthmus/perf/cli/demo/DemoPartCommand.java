// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import dev.isthmus.doctor.CommandFailures;
import dev.isthmus.perf.bench.compare.PingPongs;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A {@link DemoPart}, on the machine that this runs on: C and Java take turns. Prints {@link Event}s. */
@Command(name = "demo-part")
final class DemoPartCommand implements Callable<Integer> {

    /** RC sends, by perftest's {@code ib_send_lat} and ours. */
    static final String VERBS = "verbs";

    /** Tagged messages over shared memory, by {@code ucx_perftest} and ours. */
    static final String UCX = "ucx";

    /** Over UCX a message takes a hundredth of its time in the testbed. {@code ucx_perftest} uses the last 2048. */
    private static final int UCX_ITERATIONS_FACTOR = 10;

    /**
     * A round over UCX takes a fraction of a second, most of it to start {@code ucx_perftest}. A host moves a virtual
     * machine's processors about, which makes a round up to five times slower, so a median of few rounds would mostly
     * show that.
     */
    private static final int UCX_ROUNDS_FACTOR = 2;

    @Parameters(index = "0", description = VERBS + " or " + UCX)
    private String path;

    @Mixin
    private DuelOptions options;

    public static void main(String... args) {
        System.exit(CommandFailures.reportedBy(new CommandLine(new DemoPartCommand()))
                .execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var out = new Event.Printer(path, System.out);
        out.begin();
        boolean ucx = path.equals(UCX);
        PingPongs pingPongs = ucx ? PingPongs.ofTags() : PingPongs.ofSends();
        out.machine(pingPongs.machine());
        pingPongs.run(
                options.sizes(),
                options.iterations() * (ucx ? UCX_ITERATIONS_FACTOR : 1),
                options.rounds() * (ucx ? UCX_ROUNDS_FACTOR : 1),
                out);
        return 0;
    }
}
