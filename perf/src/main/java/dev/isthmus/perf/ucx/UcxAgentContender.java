// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.Side;
import dev.isthmus.perf.Turns;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Placement;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Two JVMs that stay up, for one transport. */
final class UcxAgentContender implements UcxContender {

    /** Enough for the JIT to compile each loop; the time limit decides. */
    private static final int WARM_UP = 400_000;

    /** Of a run that counts. */
    private static final double SECONDS = 0.1;

    private final double warmUpSeconds;
    private final JavaChild server;
    private final JavaChild client;

    UcxAgentContender(Side side, UcxCell.Transport transport, double warmUpSeconds, Children children)
            throws IOException {
        this.warmUpSeconds = warmUpSeconds;
        UcxPeer.Binding binding = side == Side.JUCX ? UcxPeer.Binding.JUCX : UcxPeer.Binding.JAVA;
        Map<String, String> environment = new HashMap<>(binding.environment());
        environment.put("UCX_TLS", transport.transports());
        server = new JavaChild(children, Placement.SERVER, environment, "ucx-agent", binding.name());
        client = new JavaChild(children, Placement.CLIENT, environment, "ucx-agent", binding.name());
    }

    @Override
    public void warmUp(UcxCell cell) throws IOException, InterruptedException {
        var _ = run(cell, WARM_UP, warmUpSeconds);
    }

    @Override
    public Turns.Figure measure(UcxCell cell) throws IOException, InterruptedException {
        return cell.figure(run(cell, UcxCell.WARM_UP, SECONDS));
    }

    private UcxPerftest.Results run(UcxCell cell, int warmUp, double seconds) throws IOException, InterruptedException {
        server.tell(UcxAgentCommand.SERVE);
        String port = checked(server.answer());
        client.tell(String.join(" ", cell.flags(warmUp)) + " --warmup-time " + seconds + " -p " + port + " 127.0.0.1");
        String results = client.answer();
        String served = server.answer();
        checked(results);
        checked(served);
        return UcxPerftest.parse(results);
    }

    private static String checked(String answer) throws IOException {
        if (answer.startsWith(UcxAgentCommand.ERROR)) {
            throw new IOException(answer.substring(UcxAgentCommand.ERROR.length()));
        }
        return answer;
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
