package dev.isthmus.perf;

import dev.isthmus.perf.perftest.LatencyReport;
import dev.isthmus.perf.perftest.LatencyStatistics;
import dev.isthmus.perf.perftest.PerftestConnection;
import dev.isthmus.perf.perftest.PerftestException;
import dev.isthmus.perf.perftest.SendLat;
import dev.isthmus.perf.perftest.SendLatOptions;
import dev.isthmus.verbs.Mtu;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ib_send_lat} in Java: the same flags, columns and protocol, in both roles. */
@Command(
        name = "send_lat",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Latency of a send over RC, as ib_send_lat measures it. The other end is this or ib_send_lat,",
            "with the same -s and -n. Without SERVER it is the server and waits for one client."
        })
final class SendLatCommand implements Callable<Integer> {

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "DEV",
            description = "RDMA device (default: the first one)")
    private Optional<String> device = Optional.empty();

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "N",
            description = "port of the device (default: ${DEFAULT-VALUE})")
    private int ibPort = 1;

    @Option(
            names = {"-x", "--gid-index"},
            paramLabel = "N",
            description = "index of the GID (default: the best one on Ethernet, none on InfiniBand)")
    private Optional<Integer> gidIndex = Optional.empty();

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            description = "MTU: 256 to 4096 (default: the port's)")
    private Optional<Integer> mtu = Optional.empty();

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description = "message size (default: ${DEFAULT-VALUE})")
    private int size = 2;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            description = "messages each way (default: ${DEFAULT-VALUE})")
    private int iterations = 1000;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            description = "receives posted ahead (default: ${DEFAULT-VALUE})")
    private int receiveDepth = 512;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "TCP port to meet at (default: ${DEFAULT-VALUE})")
    private int port = PerftestConnection.DEFAULT_PORT;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "BYTES",
            description = "send inline up to this size (default: as perftest, 236 or, on unknown devices, 0)")
    private Optional<Integer> inline = Optional.empty();

    @Option(
            names = {"-F", "--CPU-freq"},
            description = "accepted and of no effect: we do not check the CPU governor")
    @SuppressWarnings("UnusedVariable") // that is what it is for
    private boolean ignoreCpuFrequency;

    @Option(
            names = "--sessions",
            paramLabel = "N",
            description = "ours, not perftest's: run N sessions in one JVM, so that the later ones are warm;"
                    + " the other end needs it too (default: ${DEFAULT-VALUE})")
    private int sessions = 1;

    @Parameters(arity = "0..1", paramLabel = "SERVER", description = "where the server waits")
    private Optional<String> server = Optional.empty();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws PerftestException {
        SendLatOptions options = options();
        PrintWriter out = spec.commandLine().getOut();
        for (int session = 0; session < sessions; session++) {
            long[] posted = SendLat.run(options, Duration.ZERO, new SendLatHeader(options, out, session == 0));
            LatencyStatistics figures = LatencyStatistics.ofRoundTrips(posted);
            out.println(LatencyReport.row(options.bytes(), options.iterations(), figures));
            out.flush();
        }
        out.println(LatencyReport.RULE);
        out.flush();
        return 0;
    }

    private SendLatOptions options() {
        try {
            return new SendLatOptions(
                    device,
                    ibPort,
                    toInt(gidIndex),
                    mtu.map(SendLatCommand::mtuOf),
                    size,
                    iterations,
                    receiveDepth,
                    port,
                    toInt(inline),
                    server);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private static Mtu mtuOf(int bytes) {
        return Stream.of(Mtu.values())
                .filter(mtu -> mtu != Mtu.UNKNOWN && mtu.bytes() == bytes)
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("the MTU is 256, 512, 1024, 2048 or 4096, not " + bytes));
    }

    private static OptionalInt toInt(Optional<Integer> value) {
        return value.map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }
}
