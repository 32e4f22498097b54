// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.GuardedArena;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Two programs that send each other a message in turn over a connection, reliable or not: all that the two share. */
abstract class ConnectedPingPong implements Callable<Integer> {

    @Mixin
    private final PingPongOptions.InTurn options = new PingPongOptions.InTurn(4096, 1000);

    @Mixin
    final PingPongOptions.PathMtu path = new PingPongOptions.PathMtu();

    @Spec
    private CommandSpec spec;

    private final QueuePairType type;

    ConnectedPingPong(QueuePairType type) {
        this.type = type;
    }

    @Override
    public final Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (var arena = GuardedArena.ofConfined();
                var device = options.open();
                var channel = options.events ? device.createCompletionChannel() : null;
                var pd = device.allocateProtectionDomain();
                var region = pd.register(
                        arena.allocate(options.size, PingPongOptions.PAGE).fill((byte) 0x7b), AccessFlag.LOCAL_WRITE);
                var cq = PingPongOptions.completionQueue(device, options.receiveDepth + 1, channel);
                var qp = pd.createQueuePair(type, cq, cq, c -> c.maxSendWr(1).maxRecvWr(options.receiveDepth))) {
            var receive = ReceiveRequest.prepare(region).wrId(PingPongLoop.RECEIVE_ID);
            var send = SendRequest.prepare(region)
                    .wrId(PingPongLoop.SEND_ID)
                    .signaled(true)
                    .inline(options.size <= qp.capabilities().maxInline());
            qp.modify(QueuePairTransition.to(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .port(options.ibPort)
                    .access());
            var loop = new PingPongLoop(options, cq, channel, () -> qp.tryPost(receive));

            PingPongAddress mine = options.address(device, qp.qpNum());
            out.println("  local address:  " + mine);
            PingPongPeer.meet(options, List.of(mine), remote -> {
                out.println("  remote address: " + remote.getFirst());
                connect(qp, options.pathTo(device, remote.getFirst()), mine, remote.getFirst());
            });
            return loop.run(List.of(qp), send, region.segment(), out);
        }
    }

    /** From INIT to RTR, from where on it can receive, and to RTS. */
    abstract void connect(QueuePair qp, AddressVector way, PingPongAddress mine, PingPongAddress remote);
}
