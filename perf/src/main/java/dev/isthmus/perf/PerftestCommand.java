package dev.isthmus.perf;

import dev.isthmus.perf.perftest.Console;
import dev.isthmus.perf.perftest.PerfTest;
import dev.isthmus.perf.perftest.Perftest;
import dev.isthmus.perf.perftest.PerftestException;
import dev.isthmus.perf.perftest.Plan;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** One of perftest's programs in Java: the same flags, columns and protocol, in both roles. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
abstract class PerftestCommand implements Callable<Integer> {

    /** How the ends find each other. */
    static final String BOTH_ENDS = "The other end is this or perftest's program, with the same flags."
            + " Without SERVER it is the server and waits for one client.";

    private final PerfTest test;

    @Mixin
    private Plan.Flags flags = new Plan.Flags();

    @Spec
    private CommandSpec spec;

    PerftestCommand(PerfTest test) {
        this.test = test;
    }

    /** The command of a name, if it is one of these. */
    static Optional<CommandLine> named(String name) {
        return Stream.of(PerfTest.values())
                .filter(test -> test.command().equals(name))
                .findFirst()
                .map(test -> new CommandLine(of(test)));
    }

    /** Adds all of them, each of which has some fifty flags. */
    static void addTo(CommandLine perf) {
        Stream.of(PerfTest.values()).forEach(test -> perf.addSubcommand(of(test)));
    }

    private static PerftestCommand of(PerfTest test) {
        return switch (test) {
            case SEND_LAT -> new SendLat();
            case WRITE_LAT -> new WriteLat();
            case READ_LAT -> new ReadLat();
            case ATOMIC_LAT -> new AtomicLat();
            case SEND_BW -> new SendBw();
            case WRITE_BW -> new WriteBw();
            case READ_BW -> new ReadBw();
            case ATOMIC_BW -> new AtomicBw();
        };
    }

    @Override
    public Integer call() throws PerftestException {
        Plan plan = plan();
        for (int session = 0; session < plan.sessions(); session++) {
            var console = new Console(plan, spec.commandLine().getOut(), session);
            try {
                Perftest.run(plan, Duration.ZERO, console);
            } catch (UncheckedIOException e) {
                throw new PerftestException(e.getMessage(), e);
            }
        }
        return 0;
    }

    private Plan plan() {
        try {
            return flags.plan(test);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    @Command(
            name = "send_lat",
            description = {"Latency of a send, as ib_send_lat measures it.", PerftestCommand.BOTH_ENDS})
    static final class SendLat extends PerftestCommand {
        SendLat() {
            super(PerfTest.SEND_LAT);
        }
    }

    @Command(
            name = "write_lat",
            description = {"Latency of an RDMA WRITE, as ib_write_lat measures it.", PerftestCommand.BOTH_ENDS})
    static final class WriteLat extends PerftestCommand {
        WriteLat() {
            super(PerfTest.WRITE_LAT);
        }
    }

    @Command(
            name = "read_lat",
            description = {"Latency of an RDMA READ, as ib_read_lat measures it.", PerftestCommand.BOTH_ENDS})
    static final class ReadLat extends PerftestCommand {
        ReadLat() {
            super(PerfTest.READ_LAT);
        }
    }

    @Command(
            name = "atomic_lat",
            description = {"Latency of an atomic operation, as ib_atomic_lat measures it.", PerftestCommand.BOTH_ENDS})
    static final class AtomicLat extends PerftestCommand {
        AtomicLat() {
            super(PerfTest.ATOMIC_LAT);
        }
    }

    @Command(
            name = "send_bw",
            description = {"Bandwidth of sends, as ib_send_bw measures it.", PerftestCommand.BOTH_ENDS})
    static final class SendBw extends PerftestCommand {
        SendBw() {
            super(PerfTest.SEND_BW);
        }
    }

    @Command(
            name = "write_bw",
            description = {"Bandwidth of RDMA WRITEs, as ib_write_bw measures it.", PerftestCommand.BOTH_ENDS})
    static final class WriteBw extends PerftestCommand {
        WriteBw() {
            super(PerfTest.WRITE_BW);
        }
    }

    @Command(
            name = "read_bw",
            description = {"Bandwidth of RDMA READs, as ib_read_bw measures it.", PerftestCommand.BOTH_ENDS})
    static final class ReadBw extends PerftestCommand {
        ReadBw() {
            super(PerfTest.READ_BW);
        }
    }

    @Command(
            name = "atomic_bw",
            description = {"Bandwidth of atomic operations, as ib_atomic_bw measures it.", PerftestCommand.BOTH_ENDS})
    static final class AtomicBw extends PerftestCommand {
        AtomicBw() {
            super(PerfTest.ATOMIC_BW);
        }
    }
}
