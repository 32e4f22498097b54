// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.attributes.Mtu;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Where a test runs, and how its ends find each other. */
final class Place {

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "DEV",
            description = "RDMA device (default: the first one)")
    Optional<String> device = Optional.empty();

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "N",
            description = "port of the device (default: ${DEFAULT-VALUE})")
    int ibPort = 1;

    @Option(
            names = {"-x", "--gid-index"},
            paramLabel = "N",
            description = "GID index (default: the best one on Ethernet, none on InfiniBand)")
    Optional<Integer> gidIndex = Optional.empty();

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            description = "MTU: 256 to 4096 (default: the port's)")
    private Optional<Integer> mtuBytes = Optional.empty();

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "TCP port of the exchange (default: ${DEFAULT-VALUE})")
    int tcpPort = PerftestConnection.DEFAULT_PORT;

    @Option(
            names = {"-R", "--rdma_cm"},
            description = "connect by RDMA CM: SERVER is an address of an RDMA device")
    boolean rdmaCm;

    @Option(
            names = {"-z", "--comm_rdma_cm", "--com_rdma_cm"}, // the last is what perftest's help calls it
            description = "exchange data over a queue pair of RDMA CM instead of TCP")
    boolean exchangeByCm;

    @Option(
            names = {"-S", "--sl"},
            paramLabel = "N",
            description = "service level (default: ${DEFAULT-VALUE})")
    int serviceLevel;

    @Option(
            names = {"-u", "--qp-timeout"},
            paramLabel = "N",
            description = "timeout of a queue pair: 4 us times 2 to the power of this (default: ${DEFAULT-VALUE})")
    int qpTimeout = 14;

    @Option(names = "--disable_pcie_relaxed", description = "register memory without relaxed ordering")
    private boolean strict;

    @Option(
            names = {"-F", "--CPU-freq"},
            description = "accepted, without effect: the CPU governor is not checked")
    @SuppressWarnings("UnusedVariable") // accepted and ignored
    private boolean ignoreCpuFrequency;

    @Option(
            names = "--use_old_post_send",
            description = "accepted, without effect: requests are always posted by ibv_post_send")
    @SuppressWarnings("UnusedVariable") // accepted and ignored
    private boolean oldPostSend;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            description = "not in perftest: the address that a server listens on (default: every address)")
    Optional<String> listen = Optional.empty();

    @Option(
            names = "--run-limit",
            paramLabel = "SECONDS",
            description = "not in perftest: how long the other end may measure (default: ${DEFAULT-VALUE})")
    int runLimitSeconds = 3600;

    @Option(
            names = "--silence",
            paramLabel = "SECONDS",
            description = "not in perftest: how long the other end may be silent during a run"
                    + " (default: ${DEFAULT-VALUE})")
    int silenceSeconds = 10;

    /** Whether memory is registered with relaxed ordering. */
    boolean relaxedOrdering;

    /** Checks the flags, and derives what follows from them. */
    void settle(PerfTest test) {
        RangeCheck.check("the device's port", ibPort, 1, 255);
        RangeCheck.check("the GID index", gidIndex.orElse(0), 0, 65535);
        RangeCheck.check("the TCP port", tcpPort, 1, 65535);
        RangeCheck.check("the service level", serviceLevel, 0, 15);
        RangeCheck.check("the timeout of a queue pair", qpTimeout, 0, 31);
        RangeCheck.check("the limit of a run", runLimitSeconds, 1, 1_000_000);
        RangeCheck.check("the limit of silence", silenceSeconds, 1, 1_000_000);
        RangeCheck.require(
                mtuBytes.isEmpty() || mtu().isPresent(),
                "the MTU is 256, 512, 1024, 2048 or 4096, not " + mtuBytes.orElse(0));
        exchangeByCm |= rdmaCm;
        relaxedOrdering = !strict && test != PerfTest.WRITE_LAT; // write_lat polls the byte that the device writes last
    }

    /** At most this; empty for the port's. */
    Optional<Mtu> mtu() {
        return Stream.of(Mtu.values())
                .filter(known -> known != Mtu.UNKNOWN && mtuBytes.equals(Optional.of(known.bytes())))
                .findFirst();
    }

    /** The address that a server waits at. RDMA CM's wildcard is that of IPv4, as in C. */
    InetSocketAddress listenAt() throws PerftestException {
        if (listen.isEmpty()) {
            return exchangeByCm ? new InetSocketAddress("0.0.0.0", tcpPort) : new InetSocketAddress(tcpPort);
        }
        var address = new InetSocketAddress(listen.get(), tcpPort);
        if (address.isUnresolved()) {
            throw new PerftestException("unknown host " + listen.get() + " (--listen)");
        }
        return address;
    }
}
