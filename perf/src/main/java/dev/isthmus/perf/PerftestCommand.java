// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import dev.isthmus.perf.perftest.Console;
import dev.isthmus.perf.perftest.PerfTest;
import dev.isthmus.perf.perftest.Perftest;
import dev.isthmus.perf.perftest.PerftestException;
import dev.isthmus.perf.perftest.Plan;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** One of perftest's programs in Java: the same flags, columns and protocol, in both roles. */
@Command(mixinStandardHelpOptions = true, sortOptions = false, version = "Version: 6.06")
abstract class PerftestCommand implements Callable<Integer>, Counterpart {

    /** How the ends find each other. */
    static final String BOTH_ENDS = "The other end is this or perftest's program, with the same flags."
            + " Without SERVER it is the server and waits for one client.";

    /** What perftest has and this has not, whatever its value: docs/perf.md says so, too. */
    private static final Set<String> ABSENT = Set.of("""
            -B -C -E -G -J -K -L -M -O -P -T -W -X -Y -Z -g -j -k -v -w -y --MGID --aes_block_size --aes_xts
            --bind_source_ip --client --congest_type --connectionless --cpu_util --credentials_path
            --data_enc_key_app_path --data_enc_keys_number --dest_ip --dest_mac --dest_port --dlid
            --dont_xchg_versions --dualport --encrypt_on_tx --ethertype --flow_label --flows --flows_burst
            --force-link --hop_limit --inline_recv --ipv6 --ipv6-addr --kek_path --latency_gap --limit_bw
            --limit_msgrate --local_ip --local_mac --local_port --log_active_dci_streams --log_dci_streams --mac_fwd
            --mcg --mmap --mmap-offset --mr_per_qp --no_ddp --no_lock --odp --payload_file_path --perform_warm_up
            --pkey_index --promiscuous --raw_ipv6 --raw_mcast --recv_post_list --remote_ip --remote_mac --remote_port
            --reply_every --report-counters --report-cycles --report-per-port --retry_count --reversed
            --run_infinitely --server --sig_before --sniffer --source_ip --source_mac --source_port --tclass --tcp
            --tos --typical_pkt_size --unsolicited_write --use-null-mr --use_cuda --use_cuda_bus_id --use_hugepages
            --use_ooo --use_rocm --use_rss --vector --vlan_en --vlan_pcp --wait_destroy --write_with_imm
            """.strip().split("\\s+", -1));

    private final PerfTest test;

    @Mixin
    private Plan.Flags flags = new Plan.Flags();

    @Spec
    private CommandSpec spec;

    PerftestCommand(PerfTest test) {
        this.test = test;
    }

    @Override
    public String program() {
        return test.program();
    }

    @Override
    public boolean lacks(String word) {
        return ABSENT.contains(Counterpart.flagOf(word));
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
            } catch (OutOfMemoryError e) {
                throw new PerftestException(
                        "the times of so many messages do not fit into Java's heap: fewer (-n, -q) do, -N and -D keep"
                                + " none, and JAVA_TOOL_OPTIONS=-Xmx8g makes it larger",
                        e);
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
