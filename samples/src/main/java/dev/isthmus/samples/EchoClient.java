// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.cm.Connector;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Sends texts to an {@link EchoServer}, and prints the answers. */
public final class EchoClient {

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private EchoClient() {}

    /**
     * Needs an RDMA device.
     *
     * @param args the address and port of the server, and the texts
     * @throws IOException if the server does not answer
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws IOException, InterruptedException {
        if (args.length < 3) {
            System.err.println("usage: EchoClient ADDRESS PORT TEXT...");
            System.exit(2);
        }
        var server = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        echo(server, List.of(args).subList(2, args.length)).forEach(System.out::println);
    }

    static List<String> echo(InetSocketAddress server, List<String> texts) throws IOException, InterruptedException {
        var answers = new ArrayList<String>();
        try (var connection = Connector.connect(server, DEADLINE)) {
            var memory = connection.allocate(2 * EchoServer.MESSAGE, AccessFlag.LOCAL_WRITE);
            var receive = ReceiveRequest.prepare(memory.region()).range(EchoServer.MESSAGE, EchoServer.MESSAGE);
            var send = SendRequest.prepare(memory.region()).signaled(true);
            var done = WorkCompletions.allocate(1);
            for (String text : texts) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                memory.segment().asByteBuffer().put(0, bytes);
                connection.queuePair().post(receive);
                connection.queuePair().post(send.range(0, bytes.length));
                for (int seen = 0; seen < 2; seen++) { // the send's completion, and the answer's
                    if (connection.await(done, DEADLINE) == 0) {
                        throw new IOException("no answer to '" + text + "' for " + DEADLINE.toSeconds() + " s");
                    }
                    if (!done.isSuccess(0)) {
                        throw new IOException("no answer to '" + text + "': " + done.status(0));
                    }
                    if (done.opcode(0) == CompletionOpcode.RECV) {
                        var answer = new byte[Math.toIntExact(done.byteLength(0))];
                        memory.segment().asByteBuffer().get(EchoServer.MESSAGE, answer);
                        answers.add(new String(answer, StandardCharsets.UTF_8));
                    }
                }
            }
        }
        return answers;
    }
}
