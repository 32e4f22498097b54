// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import dev.isthmus.perf.tools.Counterpart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

    /** Flags that rstream has and this lacks; docs/perf.md also lists them. */
    private static final Set<String> ABSENT = Set.of("-k");

    private static final String ALL_SIZES = "all";

    @Option(
            names = "-s",
            paramLabel = "ADDRESS",
            description = "the server to connect to; without it, this is the server")
    private String server;

    @Option(
            names = "-b",
            paramLabel = "ADDRESS",
            description = "the local address that the server listens on, or the client connects from")
    private String local;

    @Option(
            names = "-f",
            paramLabel = "FORMAT",
            description = "the format of addresses: name, ip or ipv6 (default: name)")
    private String format = "name";

    @Option(names = "-B", paramLabel = "BYTES", description = "the size of each ring (default: ${DEFAULT-VALUE})")
    private int ring = 1 << 19;

    @Option(
            names = "-i",
            paramLabel = "BYTES",
            description = "messages up to this size go inline in latency tests (default: ${DEFAULT-VALUE})")
    private int inline = 64;

    @Option(names = "-I", paramLabel = "COUNT", description = "number of round trips")
    private Integer iterations;

    @Option(names = "-C", paramLabel = "COUNT", description = "number of transfers in a row, each way")
    private Integer transfers;

    @Option(
            names = "-S",
            paramLabel = "BYTES",
            description = "the size of a transfer; all runs the longer series of sizes")
    private String size;

    @Option(names = "-p", paramLabel = "PORT", description = "the server's port (default: ${DEFAULT-VALUE})")
    private int port = 7471;

    @Option(
            names = "-T",
            paramLabel = "OPTION",
            description =
                    "s, sockets: TCP, by the JDK's channel; b, blocking: calls that wait; n, nonblocking: calls that"
                            + " do not (the default); a, async: a select before each call; v, verify: checks received"
                            + " bytes")
    private List<String> test = List.of();

    @Option(
            names = "--iomap",
            description =
                    "be riostream: each end writes into memory that the other has mapped, and watches its last byte")
    private boolean iomap;

    @Spec
    private CommandSpec spec;

    @Override
    public String program() {
        return "rstream";
    }

    @Override
    public boolean lacks(String word) {
        return ABSENT.contains(Counterpart.flagOf(word));
    }

    @Override
    public Integer call() throws IOException {
        StreamPlan plan;
        try {
            plan = plan();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        new StreamRun(plan, spec.commandLine().getOut()).run();
        return 0;
    }

    /**
     * Runs one end by its flags, and prints nothing.
     *
     * @param flags those of the command
     * @return the figures of the last measured transfers
     * @throws IOException if it fails; {@link java.net.ConnectException} when no server listens
     */
    public static StreamFigures measure(List<String> flags) throws IOException {
        CommandLine line = new CommandLine(new StreamCommand());
        line.parseArgs(flags.toArray(String[]::new));
        StreamCommand command = line.getCommand();
        return new StreamRun(command.plan(), new PrintWriter(Writer.nullWriter())).run();
    }

    private StreamPlan plan() throws UnknownHostException {
        boolean tcp = false;
        boolean blocking = false;
        boolean selects = false;
        boolean verify = false;
        for (String option : test) {
            switch (option) {
                case "s", "sockets" -> tcp = true;
                case "b", "blocking" -> blocking = true;
                case "n", "nonblocking" -> blocking = false;
                case "v", "verify" -> verify = true;
                case "a", "async" -> selects = true;
                case "f", "fork" -> throw absent(option, "a JVM cannot fork");
                case "r", "resolve" -> throw absent(option, "the JDK resolves addresses, not rdma_getaddrinfo");
                default -> throw new IllegalArgumentException("-T " + option + " is not an option of rstream");
            }
        }
        if (selects && blocking) {
            throw absent("a with -T b", "a channel with a selector cannot block");
        }
        if (selects && iomap) {
            throw absent("a with --iomap", "a selector is not told of writes to memory");
        }
        if (iomap && tcp) {
            throw new IllegalArgumentException("riostream has no -T s: memory cannot be mapped over TCP");
        }
        boolean custom = iterations != null || transfers != null || (size != null && !size.equals(ALL_SIZES));
        return new StreamPlan(
                server == null ? null : address(server),
                local == null ? null : address(local),
                positive("-p", port),
                positive("-B", ring),
                inline,
                custom ? StreamPlan.custom(orElse("-I", iterations, 1), orElse("-C", transfers, 1000), size()) : null,
                ALL_SIZES.equals(size),
                tcp,
                blocking,
                selects,
                verify,
                iomap);
    }

    private static IllegalArgumentException absent(String option, String why) {
        return new IllegalArgumentException("rstream's -T " + option + " is not implemented: " + why);
    }

    private InetAddress address(String written) throws UnknownHostException {
        return switch (format) {
            case "name" -> InetAddress.getByName(written);
            case "ip", "ipv6" -> InetAddress.ofLiteral(written);
            case "gid" -> throw new IllegalArgumentException("rstream's -f gid is not implemented: Java has no AF_IB");
            default -> throw new IllegalArgumentException("-f " + format + " is not a format of rstream");
        };
    }

    private int size() {
        try {
            return size == null || size.equals(ALL_SIZES) ? 1000 : positive("-S", Integer.parseInt(size));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("-S " + size + " is not a size", e);
        }
    }

    private static int orElse(String flag, Integer given, int other) {
        return given == null ? other : positive(flag, given);
    }

    private static int positive(String flag, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(flag + " " + value + " is less than 1");
        }
        return value;
    }
}
