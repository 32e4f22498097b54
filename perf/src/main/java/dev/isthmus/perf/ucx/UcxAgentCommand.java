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
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * An end that stays up between tests, so that its code stays compiled. It reads lines: "serve", which it answers
 * with the port and, at the end, with "served"; or a command line of {@code isthmus perf ucx}, which it answers with
 * the result.
 */
@Command(name = "ucx-agent", hidden = true)
public final class UcxAgentCommand implements Callable<Integer> {

    static final String SERVE = "serve";
    static final String SERVED = "served";
    static final String ERROR = "error ";

    @Parameters(index = "0", description = "java or jucx")
    private UcxPeer.Binding binding;

    @Override
    public Integer call() throws IOException {
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(answer(line));
        }
        return 0;
    }

    private String answer(String line) {
        try {
            return line.equals(SERVE) ? serve() : ask(line);
        } catch (IOException | RdmaException | IllegalArgumentException | IllegalStateException e) {
            return ERROR + e.getMessage();
        }
    }

    private String serve() throws IOException {
        UcxLink link;
        try (ServerSocketChannel listening =
                UcxLink.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            System.out.println(((InetSocketAddress) listening.getLocalAddress()).getPort());
            link = new UcxLink(listening.accept());
        }
        try (link) {
            UcxSession.serve(link, binding.ends(), UcxSession.Listener.DEAF);
        }
        return SERVED;
    }

    private String ask(String line) throws IOException {
        UcxResult result = UcxPeer.client(binding, List.of(line.split(" ", -1)), UcxSession.Listener.DEAF);
        return UcxConsole.row(result, UcxConsole.Style.PLAIN);
    }
}
