// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.attributes.Mtu;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The flags that say where a test runs, and how its ends find each other. */
final class PlaceOptions {

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
            description = "GID index (default: the best one on Ethernet, none on InfiniBand)")
    private Optional<Integer> gidIndex = Optional.empty();

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            description = "MTU: 256 to 4096 (default: the port's)")
    private Optional<Integer> mtu = Optional.empty();

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "TCP port of the exchange (default: ${DEFAULT-VALUE})")
    private int port = PerftestConnection.DEFAULT_PORT;

    @Option(
            names = {"-R", "--rdma_cm"},
            description = "connect by RDMA CM: SERVER is an address of an RDMA device")
    private boolean rdmaCm;

    @Option(
            names = {"-z", "--comm_rdma_cm", "--com_rdma_cm"}, // the last is what perftest's help calls it
            description = "exchange data over a queue pair of RDMA CM instead of TCP")
    private boolean exchangeByCm;

    @Option(
            names = {"-S", "--sl"},
            paramLabel = "N",
            description = "service level (default: ${DEFAULT-VALUE})")
    private int serviceLevel;

    @Option(
            names = {"-u", "--qp-timeout"},
            paramLabel = "N",
            description = "timeout of a queue pair: 4 us times 2 to the power of this (default: ${DEFAULT-VALUE})")
    private int qpTimeout = 14;

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
    private Optional<String> listen = Optional.empty();

    @Option(
            names = "--run-limit",
            paramLabel = "SECONDS",
            description = "not in perftest: how long the other end may measure (default: ${DEFAULT-VALUE})")
    private int runLimit = 3600;

    @Option(
            names = "--silence",
            paramLabel = "SECONDS",
            description = "not in perftest: how long the other end may be silent during a run"
                    + " (default: ${DEFAULT-VALUE})")
    private int silence = 10;

    Place place(PerfTest test) {
        RangeCheck.check("the device's port", ibPort, 1, 255);
        RangeCheck.check("the GID index", gidIndex.orElse(0), 0, 65535);
        RangeCheck.check("the TCP port", port, 1, 65535);
        RangeCheck.check("the service level", serviceLevel, 0, 15);
        RangeCheck.check("the timeout of a queue pair", qpTimeout, 0, 31);
        RangeCheck.check("the limit of a run", runLimit, 1, 1_000_000);
        RangeCheck.check("the limit of silence", silence, 1, 1_000_000);
        return new Place(
                device,
                ibPort,
                gidIndex.map(OptionalInt::of).orElseGet(OptionalInt::empty),
                mtu.map(PlaceOptions::mtuOf),
                port,
                listen,
                rdmaCm,
                rdmaCm || exchangeByCm,
                serviceLevel,
                qpTimeout,
                !strict && test != PerfTest.WRITE_LAT, // write_lat polls the byte that the device writes last
                runLimit,
                silence);
    }

    private static Mtu mtuOf(int bytes) {
        return Stream.of(Mtu.values())
                .filter(known -> known != Mtu.UNKNOWN && known.bytes() == bytes)
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("the MTU is 256, 512, 1024, 2048 or 4096, not " + bytes));
    }
}
