// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.RdmaException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * An end that stays up between tests, so that what the JIT compiler has learnt is kept. Reads lines: "serve", answered by
 * the port and, at the end, by "served"; and a command line of {@code isthmus perf ucx}, answered by the result.
 */
@Command(name = "ucx-agent", hidden = true)
public final class UcxAgentCommand implements Callable<Integer> {

    static final String SERVE = "serve";
    static final String SERVED = "served";
    static final String ERROR = "error ";

    private static final UcxSession.Listener DEAF = new UcxSession.Listener() {
        @Override
        public void begin(UcxPlan plan) {}

        @Override
        public void report(UcxResult result, boolean last) {}
    };

    @Parameters(index = "0", description = "java or jucx")
    private String binding;

    @Override
    public Integer call() throws IOException {
        UcxBinding ends = binding.equals("jucx") ? JucxEnd::new : JavaEnd::new;
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(answer(line, ends));
        }
        return 0;
    }

    private static String answer(String line, UcxBinding ends) {
        try {
            return line.equals(SERVE) ? serve(ends) : ask(line, ends);
        } catch (IOException | RdmaException | IllegalArgumentException | IllegalStateException e) {
            return ERROR + e.getMessage();
        }
    }

    private static String serve(UcxBinding ends) throws IOException {
        UcxLink link;
        try (ServerSocketChannel listening =
                UcxLink.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            System.out.println(((InetSocketAddress) listening.getLocalAddress()).getPort());
            link = new UcxLink(listening.accept());
        }
        try (link) {
            UcxSession.serve(link, ends, DEAF);
        }
        return SERVED;
    }

    private static String ask(String line, UcxBinding ends) throws IOException {
        var words = new Line();
        new CommandLine(words).parseArgs(line.split(" ", -1));
        UcxOptions options = words.options;
        options.check();
        var server = new InetSocketAddress(options.server().orElseThrow(), options.port());
        try (var link = UcxLink.connect(server)) {
            UcxResult result = UcxSession.client(options.plan(), UcxLayout.V1_13, link, ends, DEAF);
            return UcxConsole.row(result, UcxConsole.Style.PLAIN);
        }
    }

    /** Gives the options a command. */
    @Command
    private static final class Line {

        @CommandLine.Mixin
        private UcxOptions options = new UcxOptions();
    }
}
