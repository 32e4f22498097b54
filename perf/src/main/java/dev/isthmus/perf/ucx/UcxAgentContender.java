// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.Side;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Placement;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Two JVMs that stay up, for one transport. */
final class UcxAgentContender implements UcxContender {

    private final JavaChild server;
    private final JavaChild client;

    UcxAgentContender(Side side, UcxCell.Transport transport, Children children) throws IOException {
        Map<String, String> environment = new HashMap<>();
        environment.put("UCX_TLS", transport.transports());
        if (side == Side.JUCX) {
            environment.put("UCX_ERROR_SIGNALS", ""); // UCX' handler would take the JVM's own signals for a crash
        }
        String binding = side == Side.JUCX ? "jucx" : "java";
        server = new JavaChild(children, Placement.SERVER, environment, "ucx-agent", binding);
        client = new JavaChild(children, Placement.CLIENT, environment, "ucx-agent", binding);
    }

    @Override
    public double run(UcxCell cell, int iterations, int warmUp, double warmUpSeconds)
            throws IOException, InterruptedException {
        server.tell(UcxAgentCommand.SERVE);
        String port = checked(server.answer());
        client.tell(String.join(" ", cell.flags(iterations, warmUp)) + " --warmup-time " + warmUpSeconds + " -p " + port
                + " 127.0.0.1");
        String results = client.answer();
        String served = server.answer();
        checked(results);
        checked(served);
        return cell.figure(UcxPerftest.parse(results));
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
