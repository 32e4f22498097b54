// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.GuardedArena;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code ibv_ud_pingpong} in Java: two programs send each other a datagram in turn. What is received begins with 40
 * bytes for the header that tells where it came from. A datagram that is lost is not sent again, and both wait for ever.
 * Takes the same flags, prints the same lines, and has this or the C program as its peer.
 */
@Command(
        name = "ud_pingpong",
        description = "Sends a message there and back over UD. Without HOST it is the server and waits for one client.",
        sortOptions = false,
        exitCodeOnInvalidInput = 1,
        mixinStandardHelpOptions = true)
public final class UdPingPong implements Callable<Integer> {

    private static final int QKEY = 0x11111111;

    /** What a received datagram begins with: the global route header. */
    private static final int HEADER = 40;

    @Mixin
    private final PingPongOptions.InTurn options = new PingPongOptions.InTurn(1024, 1000);

    @Spec
    private CommandSpec spec;

    /**
     * Runs the program.
     *
     * @param args the flags of {@code ibv_ud_pingpong}
     */
    public static void main(String... args) {
        System.exit(PingPongOptions.commandLine(new UdPingPong()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (var arena = GuardedArena.ofConfined();
                var device = options.open();
                var channel = options.events ? device.createCompletionChannel() : null;
                var pd = device.allocateProtectionDomain();
                var region = pd.register(
                        arena.allocate(HEADER + options.size, PingPongOptions.PAGE)
                                .fill((byte) 0x7b),
                        AccessFlag.LOCAL_WRITE);
                var cq = PingPongOptions.completionQueue(device, options.receiveDepth + 1, channel);
                var qp = pd.createQueuePair(
                        QueuePairType.UD, cq, cq, c -> c.maxSendWr(1).maxRecvWr(options.receiveDepth))) {
            int most = device.port(options.ibPort).activeMtu().bytes();
            if (options.size > most) {
                throw new IOException("Requested size larger than port MTU (" + most + ")");
            }
            qp.modify(QueuePairTransition.to(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .port(options.ibPort)
                    .qkey(QKEY));
            var receive = ReceiveRequest.prepare(region).wrId(PingPongLoop.RECEIVE_ID);
            var loop = new PingPongLoop(options, cq, channel, () -> qp.tryPost(receive));

            PingPongAddress mine = options.address(device, qp.qpNum());
            out.println("  local address:  " + mine.toString().replace(", GID", ": GID")); // as C has it
            PingPongAddress remote = PingPongPeer.meet(options, List.of(mine), peer -> {
                        out.println("  remote address: " + peer.getFirst());
                        qp.modify(QueuePairTransition.to(QueuePairState.RTR));
                        qp.modify(QueuePairTransition.to(QueuePairState.RTS).sqPsn(mine.psn()));
                    })
                    .getFirst();

            try (var way = pd.createAddressHandle(options.pathTo(device, remote))) {
                var send = SendRequest.prepare(region)
                        .range(HEADER, options.size)
                        .wrId(PingPongLoop.SEND_ID)
                        .to(way, remote.qpNum(), QKEY)
                        .signaled(true)
                        .inline(options.size <= qp.capabilities().maxInline());
                return loop.run(List.of(qp), send, region.segment().asSlice(HEADER), out);
            }
        }
    }
}
