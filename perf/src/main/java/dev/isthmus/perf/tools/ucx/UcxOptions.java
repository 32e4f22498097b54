// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ucx_perftest}'s flags. */
final class UcxOptions {

    private static final int PORT = 13337;
    private static final double WARM_UP_SECONDS = 0.1;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SERVER", description = "the server's name or address")
    Optional<String> server = Optional.empty();

    @Option(
            names = "-t",
            paramLabel = "TEST",
            description = "test to run: tag_lat, tag_bw, tag_sync_lat, tag_sync_bw,"
                    + " ucp_put_lat, ucp_put_bw, ucp_get, ucp_add, ucp_fadd, ucp_swap, ucp_cswap, stream_lat, stream_bw,"
                    + " ucp_am_lat, ucp_am_bw; the server takes the client's")
    private String test;

    @Option(names = "-s", paramLabel = "SIZE", split = ",", description = "sizes of the parts of a message (8)")
    private List<Long> sizes = List.of(8L);

    @Option(names = "-n", paramLabel = "N", description = "iterations to run (1000000); 0 never ends")
    private long iterations = 1_000_000;

    @Option(names = "-w", paramLabel = "N", description = "warm-up iterations (10000)")
    private long warmUp = 10_000;

    @Option(
            names = "--warmup-time",
            paramLabel = "SECONDS",
            description = "time limit of the warm-up (0.1; ucx_perftest of UCX 1.13 has no such flag)")
    private double warmUpSeconds = WARM_UP_SECONDS;

    @Option(names = "-c", paramLabel = "CPUS", split = ",", description = "the processors to run on")
    List<Integer> cpus = new ArrayList<>();

    @Option(names = "-O", paramLabel = "N", description = "how many sends may be outstanding (1, or 32 for bandwidth)")
    private int window;

    @Option(
            names = "-i",
            paramLabel = "BYTES",
            description = "distance from the beginning of one part of a message to the next")
    private long stride;

    @Option(names = "-o", description = "do not progress the responder in one-sided tests")
    private boolean oneSided;

    @Option(names = "-B", description = "map memory without blocking")
    private boolean nonBlocking;

    @Option(names = "-R", paramLabel = "RANK", description = "the percentile to print (50.0)")
    private double percentile = 50;

    @Option(names = "-p", paramLabel = "PORT", description = "TCP port of the exchange (13337)")
    int port = PORT;

    @Option(names = "-6", description = "listen on IPv6")
    private boolean version6;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            description = "not in ucx_perftest: the address that a server listens on (default: every IPv4 address)")
    private String listen;

    @Option(names = "-N", description = "print numbers with thousands separators")
    private boolean numeric;

    @Option(names = "-f", description = "print only final numbers")
    private boolean finalOnly;

    @Option(names = "-v", description = "print CSV")
    private boolean csv;

    @Option(
            names = "-D",
            paramLabel = "LAYOUT",
            split = ",",
            description = "layouts of sender and receiver: contig, iov")
    private List<String> layouts = List.of("contig");

    @Option(names = "-C", description = "receive any tag")
    private boolean wildcard;

    @Option(names = "-U", description = "probe for a tagged message before it is received")
    private boolean probe;

    @Option(names = "-r", paramLabel = "MODE", description = "how streams are received: recv, recv_data")
    private String streamMode = "recv";

    @Option(names = "-I", description = "create a context with the wakeup feature")
    private boolean wakeup;

    @Option(names = "-e", description = "create endpoints that report failed peers")
    private boolean errorHandling;

    @Option(names = "-T", paramLabel = "N", description = "threads: only 1 is supported")
    private int threads = 1;

    @Option(names = "-M", paramLabel = "MODE", description = "who may use a worker: only single is supported")
    private String threadMode = "single";

    @Option(names = "-E", paramLabel = "MODE", description = "how an end waits: only poll is supported")
    private String waitMode = "poll";

    @Option(names = "-m", paramLabel = "MEMORY", split = ",", description = "types of memory: only host is supported")
    private List<String> memory = List.of("host");

    @Option(names = "-H", paramLabel = "SIZE", description = "size of an active message's header (0)")
    private long header;

    /** Where a server listens. */
    InetSocketAddress listenAt() {
        String all = version6 ? "::" : "0.0.0.0";
        return new InetSocketAddress(listen == null ? all : listen, port);
    }

    UcxConsole console(PrintWriter out) {
        UcxConsole.Style plain = numeric ? UcxConsole.Style.NUMERIC : UcxConsole.Style.PLAIN;
        return new UcxConsole(out, server.isEmpty(), csv ? UcxConsole.Style.CSV : plain, finalOnly);
    }

    /** Checks what does not depend on the role. */
    void check() {
        UcxPlan.check(port >= 1 && port <= 0xffff, "a port must be 1 to 65535 (-p)");
        UcxPlan.check(server.isEmpty() || test != null, "missing test name (-t)");
        UcxPlan.check(server.isEmpty() || listen == null, "--listen is for the server");
        UcxPlan.check(threads == 1, "only one thread is supported (-T), not " + threads);
        UcxPlan.check(threadMode.equals("single"), "there is only one thread, so the mode must be single (-M)");
        UcxPlan.check(waitMode.equals("poll"), "the ends poll, so the mode must be poll (-E)");
        UcxPlan.check(
                memory.size() <= 2 && memory.stream().allMatch("host"::equals),
                "only the host's memory is supported (-m)");
    }

    /** The client's test. */
    UcxPlan plan() {
        UcxTest wanted = UcxTest.of(test);
        return new UcxPlan(
                wanted,
                sizes,
                stride,
                iterations,
                warmUp,
                warmUpSeconds,
                window == 0 ? wanted.window : window,
                percentile,
                isList(0),
                isList(1),
                wanted.command == UcxTest.Command.AM ? header : 0,
                flags());
    }

    private boolean isList(int which) {
        String layout = which < layouts.size() ? layouts.get(which) : "contig";
        UcxPlan.check(layout.matches("contig|iov"), "a layout must be contig or iov (-D)");
        return layout.equals("iov");
    }

    private int flags() {
        UcxPlan.check(streamMode.matches("recv(_data)?"), "streams must be received by recv or recv_data (-r)");
        return UcxPlan.VERBOSE
                | (oneSided ? UcxPlan.ONE_SIDED : 0)
                | (nonBlocking ? UcxPlan.MAP_NONBLOCK : 0)
                | (wildcard ? UcxPlan.TAG_WILDCARD : 0)
                | (probe ? UcxPlan.TAG_PROBE : 0)
                | (streamMode.equals("recv_data") ? UcxPlan.STREAM_RECEIVE_DATA : 0)
                | (wakeup ? UcxPlan.WAKEUP : 0)
                | (errorHandling ? UcxPlan.ERROR_HANDLING : 0);
    }
}
