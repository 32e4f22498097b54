// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.tools.Counterpart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus perf stream}: {@code rstream} in Java. */
@Command(
        name = "stream",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "rdma-core's rstream in Java, with its flags and table: exchanges bytes through a socket over RDMA.",
            "The other end is this command or rstream, with the same sizes and counts. Without -s this is the"
                    + " server, and waits for one client. With --iomap this is riostream, and so must be the other end."
                    + " Without -I, -C and -S it runs rstream's own series of sizes, for latency and then bandwidth."
        })
public final class StreamCommand implements Callable<Integer>, Counterpart {

    @Mixin
    private StreamPlan plan = new StreamPlan();

    @Spec
    private CommandSpec spec;

    /**
     * What a run measured of its last transfers.
     *
     * @param micros how many microseconds each of them took
     * @param spent what this end spent on all of them
     */
    public record Figures(double micros, Spent spent) {}

    @Override
    public String program() {
        return "rstream";
    }

    @Override
    public Set<String> absent() {
        return Set.of("-k");
    }

    @Override
    public Integer call() throws IOException {
        try {
            plan.settle();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        new StreamRun(plan, spec.commandLine().getOut()).run();
        return 0;
    }

    /**
     * Runs one end by its flags, and prints nothing; returns the figures of the last measured transfers.
     *
     * @throws java.net.ConnectException when no server listens
     */
    public static Figures measure(List<String> flags) throws IOException {
        StreamPlan plan = CommandLine.populateCommand(new StreamPlan(), flags.toArray(String[]::new));
        plan.settle();
        return new StreamRun(plan, new PrintWriter(Writer.nullWriter())).run();
    }
}
