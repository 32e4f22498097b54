// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import dev.isthmus.perf.tools.Counterpart;
import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.perf.tools.perftest.Console;
import dev.isthmus.perf.tools.perftest.PerfTest;
import dev.isthmus.perf.tools.perftest.Perftest;
import dev.isthmus.perf.tools.perftest.Plan;
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
final class PerftestCommand implements Callable<Integer>, Counterpart {

    /** How the ends find each other. */
    private static final String BOTH_ENDS = "The other end is this or perftest's program, with the same flags."
            + " Without SERVER it is the server and waits for one client.";

    /** Flags that perftest has and this lacks, whatever their value; docs/perf.md also lists them. */
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

    private PerftestCommand(PerfTest test) {
        this.test = test;
    }

    @Override
    public String program() {
        return test.program();
    }

    @Override
    public Set<String> absent() {
        return ABSENT;
    }

    /** The command of this name, if there is one. */
    static Optional<CommandLine> named(String name) {
        return Stream.of(PerfTest.values())
                .filter(test -> test.command().equals(name))
                .findFirst()
                .map(PerftestCommand::of);
    }

    /** Adds all of these commands. Each has some fifty flags. */
    static void addTo(CommandLine perf) {
        Stream.of(PerfTest.values()).forEach(test -> perf.addSubcommand(of(test)));
    }

    private static CommandLine of(PerfTest test) {
        var line = new CommandLine(new PerftestCommand(test));
        line.getCommandSpec()
                .name(test.command())
                .usageMessage()
                .description(what(test) + ", as " + test.program() + " measures it.", BOTH_ENDS);
        return line;
    }

    private static String what(PerfTest test) {
        boolean bandwidth = test.isBandwidth();
        String operation = switch (test.verb()) {
            case SEND -> bandwidth ? "sends" : "a send";
            case WRITE -> bandwidth ? "RDMA WRITEs" : "an RDMA WRITE";
            case READ -> bandwidth ? "RDMA READs" : "an RDMA READ";
            case ATOMIC -> bandwidth ? "atomic operations" : "an atomic operation";
        };
        return (bandwidth ? "Bandwidth of " : "Latency of ") + operation;
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
                        "the times of so many messages do not fit into Java's heap: send fewer (-n, -q), keep none"
                                + " (-N, -D)"
                                + ", or enlarge the heap with JAVA_TOOL_OPTIONS=-Xmx8g",
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
}
