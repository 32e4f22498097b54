// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.GuardedArena;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code ibv_srq_pingpong} in Java: messages in turn over several connections with one shared receive queue. Takes the same flags, prints the same lines, and has this
 * or the C program as its peer.
 */
@Command(
        name = "srq_pingpong",
        description =
                "Sends messages over RC and a shared receive queue. Without HOST it is the server and waits for one client.",
        sortOptions = false,
        exitCodeOnInvalidInput = 1,
        mixinStandardHelpOptions = true)
public final class SrqPingPong implements Callable<Integer> {

    /** As many addresses are swapped, however many queue pairs there are. */
    private static final int MAX_QP = 256;

    @Mixin
    private final PingPongOptions.InTurn options = new PingPongOptions.InTurn(4096, 1000);

    @Mixin
    private final PingPongOptions.PathMtu path = new PingPongOptions.PathMtu();

    @Option(
            names = {"-q", "--num-qp"},
            paramLabel = "N",
            description = "number of queue pairs (default: ${DEFAULT-VALUE})")
    private int queuePairs = 16;

    @Spec
    private CommandSpec spec;

    private final List<QueuePair> qps = new ArrayList<>();

    /**
     * Runs the program.
     *
     * @param args the flags of {@code ibv_srq_pingpong}
     */
    public static void main(String... args) {
        System.exit(PingPongOptions.commandLine(new SrqPingPong()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (queuePairs < 1 || queuePairs >= MAX_QP || queuePairs > options.receiveDepth) {
            throw new IllegalArgumentException("-q " + queuePairs + " must be between 1 and " + (MAX_QP - 1)
                    + ", and no more than the " + options.receiveDepth + " receives of -r");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (var arena = GuardedArena.ofConfined();
                var device = options.open();
                var channel = options.events ? device.createCompletionChannel() : null;
                var pd = device.allocateProtectionDomain();
                var region = pd.register(arena.allocate(options.size, PingPongOptions.PAGE), AccessFlag.LOCAL_WRITE);
                var cq = PingPongOptions.completionQueue(device, options.receiveDepth + queuePairs, channel);
                var srq = pd.createSharedReceiveQueue(c -> c.maxWr(options.receiveDepth))) {
            try {
                createQueuePairs(pd, cq, srq);
                var receive = ReceiveRequest.prepare(region).wrId(PingPongLoop.RECEIVE_ID);
                var loop = new PingPongLoop(options, cq, channel, () -> srq.tryPost(receive));
                meet(device, out);
                var send = SendRequest.prepare(region)
                        .wrId(PingPongLoop.SEND_ID)
                        .signaled(true)
                        .inline(options.size <= qps.getFirst().capabilities().maxInline());
                return loop.run(qps, send, region.segment(), out);
            } finally {
                qps.forEach(QueuePair::close);
            }
        }
    }

    private void createQueuePairs(ProtectionDomain pd, CompletionQueue cq, SharedReceiveQueue srq) {
        for (int i = 0; i < queuePairs; i++) {
            var qp = pd.createQueuePair(
                    QueuePairType.RC, cq, cq, c -> c.maxSendWr(1).sharedReceiveQueue(srq));
            qps.add(qp);
            qp.modify(QueuePairTransition.to(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .port(options.ibPort)
                    .access());
        }
    }

    private void meet(DeviceContext device, PrintWriter out) throws IOException {
        var mine = new ArrayList<PingPongAddress>();
        for (QueuePair qp : qps) {
            mine.add(options.address(device, qp.qpNum()));
            out.println("  local address:  " + mine.getLast());
        }
        // The programs swap as many addresses as there can be, whatever -q is.
        var all = new ArrayList<>(mine);
        all.addAll(Collections.nCopies(MAX_QP - queuePairs, PingPongAddress.NONE));
        PingPongPeer.meet(options, all, remote -> {
            for (int i = 0; i < queuePairs; i++) {
                out.println("  remote address: " + remote.get(i));
                connect(device, qps.get(i), mine.get(i), remote.get(i));
            }
        });
    }

    private void connect(DeviceContext device, QueuePair qp, PingPongAddress mine, PingPongAddress remote)
            throws IOException {
        if (remote.qpNum() == 0) {
            throw new IOException(
                    "the peer has fewer than " + queuePairs + " queue pairs: give -q the same on both ends");
        }
        RcPingPong.connect(qp, options.pathTo(device, remote), path.mtu, mine, remote);
    }
}
