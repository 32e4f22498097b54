// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.process.Tool;
import dev.isthmus.perf.tools.Counterpart;
import dev.isthmus.perf.tools.PerftestException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus perf ucx}: {@code ucx_perftest} in Java. */
@Command(
        name = "ucx",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "UCX's ucx_perftest in Java: the tests of the protocol layer, with its flags, columns and exchange.",
            "The other end is this command, or ucx_perftest of UCX 1.13 to 1.19. Without SERVER this is the"
                    + " server, and waits for one client. UCX's variables choose the transports, as in C:"
                    + " UCX_TLS=posix, UCX_TLS=tcp."
        })
public final class UcxCommand implements Callable<Integer>, Counterpart {

    /** Flags of ucx_perftest for UCT, for loopback, for MPI or daemons, or for a list of tests. */
    private static final Set<String> ABSENT =
            Set.copyOf(Tool.words("-d -x -W -A -K -l -b -q -y -z -P -g -G --daemon-local --daemon-remote"));

    @Mixin
    private UcxOptions options = new UcxOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public String program() {
        return "ucx_perftest";
    }

    @Override
    public Set<String> absent() {
        return ABSENT;
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try {
            options.check();
            UcxPlan plan = options.server.isPresent() ? options.plan() : null;
            pin(options.cpus);
            if (plan == null) {
                serve(out);
            } else {
                ask(plan, out);
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        return 0;
    }

    /** Pins all present and future threads of this process to these processors; does nothing if there are none. */
    private static void pin(List<Integer> cpus) throws IOException {
        if (cpus.isEmpty()) {
            return;
        }
        String list = cpus.stream().map(String::valueOf).collect(Collectors.joining(","));
        String pid = "" + ProcessHandle.current().pid();
        Tool.Answer taskset = Tool.ask("taskset", "-a", "-c", "-p", list, pid);
        if (taskset.status() != 0) {
            throw new PerftestException("cannot run on the processors " + list + " (-c): "
                    + taskset.text().strip());
        }
    }

    private void ask(UcxPlan plan, PrintWriter out) throws IOException {
        try (var link = UcxLink.connect(new InetSocketAddress(options.server.orElseThrow(), options.port))) {
            UcxSession.client(plan, UcxLayout.loaded(), link, JavaEnd::new, options.console(out));
        }
    }

    private void serve(PrintWriter out) throws IOException {
        UcxLink link;
        try (ServerSocketChannel server = UcxLink.listen(options.listenAt())) {
            out.print("Waiting for connection...\n");
            out.flush();
            link = new UcxLink(server.accept());
        }
        try (link) {
            out.print("Accepted connection from " + link.peer() + "\n");
            out.flush();
            UcxSession.serve(link, JavaEnd::new, options.console(out));
        }
    }
}
