package dev.isthmus.samples;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.Mtu;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code ibv_srq_pingpong} in Java: two programs send each other messages in turn over several reliable connections,
 * whose queue pairs take their receives from one shared queue. Takes the same flags, prints the same lines, and has this
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

    private static final int RECEIVE_ID = 1;
    private static final int SEND_ID = 2;

    /** As many addresses are swapped, however many queue pairs there are. */
    private static final int MAX_QP = 256;

    @Mixin
    private final PingPongOptions options = new PingPongOptions(4096, 1000);

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            converter = PingPongOptions.MtuConverter.class,
            description = "path MTU (default: 1024)")
    private Mtu mtu = Mtu.MTU_1024;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            description = "receives posted at a time (default: ${DEFAULT-VALUE})")
    private int receiveDepth = 500;

    @Option(
            names = {"-q", "--num-qp"},
            paramLabel = "N",
            description = "number of queue pairs (default: ${DEFAULT-VALUE})")
    private int queuePairs = 16;

    @Option(
            names = {"-c", "--chk"},
            description = "validate what was received")
    private boolean check;

    @Spec
    private CommandSpec spec;

    private final List<QueuePair> qps = new ArrayList<>();
    private CompletionQueue cq;
    private SharedReceiveQueue srq;
    private SendRequest send;
    private ReceiveRequest receive;

    /** How many receives are posted. */
    private int posted;

    private int received;
    private int sent;

    /** What each queue pair waits for, before it sends again. */
    private final int[] pending = new int[MAX_QP];

    /**
     * Runs the program.
     *
     * @param args as those of {@code ibv_srq_pingpong}
     */
    public static void main(String... args) {
        System.exit(PingPongOptions.commandLine(new SrqPingPong()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (queuePairs < 1 || queuePairs >= MAX_QP || queuePairs > receiveDepth) {
            throw new IllegalArgumentException("-q " + queuePairs + " must be between 1 and " + (MAX_QP - 1)
                    + ", and no more than the " + receiveDepth + " receives of -r");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (var arena = Arena.ofConfined();
                var device = options.open();
                var channel = options.events ? device.createCompletionChannel() : null;
                var pd = device.allocateProtectionDomain();
                var region = pd.register(arena.allocate(options.size, PingPongOptions.PAGE), AccessFlag.LOCAL_WRITE);
                var queue = PingPongOptions.completionQueue(device, receiveDepth + queuePairs, channel);
                var shared = pd.createSharedReceiveQueue(c -> c.maxWr(receiveDepth))) {
            cq = queue;
            srq = shared;
            try {
                return run(out, device, channel, pd, region);
            } finally {
                qps.forEach(QueuePair::close);
            }
        }
    }

    private int run(
            PrintWriter out, DeviceContext device, CompletionChannel channel, ProtectionDomain pd, MemoryRegion region)
            throws IOException, InterruptedException {
        for (int i = 0; i < queuePairs; i++) {
            qps.add(pd.createQueuePair(
                    QueuePairType.RC, cq, cq, c -> c.maxSendWr(1).sharedReceiveQueue(srq)));
            qps.getLast()
                    .modify(QueuePairTransition.to(QueuePairState.INIT)
                            .pkeyIndex(0)
                            .port(options.ibPort)
                            .access());
        }
        receive = ReceiveRequest.prepare(region).wrId(RECEIVE_ID);
        send = SendRequest.prepare(region)
                .wrId(SEND_ID)
                .signaled(true)
                .inline(options.size <= qps.getFirst().capabilities().maxInline());
        postReceives();

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
                connect(qps.get(i), options.pathTo(device, remote.get(i)), mine.get(i), remote.get(i));
            }
        });

        if (options.isClient() && check) {
            PingPongOptions.mark(region.segment());
        }
        long start = System.nanoTime();
        pingPong(channel);
        options.report(out, System.nanoTime() - start);
        return options.isClient() || !check || PingPongOptions.isMarked(region.segment(), out) ? 0 : 1;
    }

    /** To RTR, from where on it can receive, and to RTS. */
    private void connect(QueuePair qp, AddressVector path, PingPongAddress mine, PingPongAddress remote)
            throws IOException {
        if (remote.qpNum() == 0) {
            throw new IOException(
                    "the peer has fewer than " + queuePairs + " queue pairs: give -q the same on both ends");
        }
        qp.modify(QueuePairTransition.to(QueuePairState.RTR)
                .path(path)
                .pathMtu(mtu)
                .destQpNum(remote.qpNum())
                .rqPsn(remote.psn())
                .maxDestRdAtomic(1)
                .minRnrTimer(12));
        qp.modify(QueuePairTransition.to(QueuePairState.RTS)
                .sqPsn(mine.psn())
                .timeout(14)
                .retryCount(7)
                .rnrRetry(7)
                .maxRdAtomic(1));
    }

    private void postReceives() {
        while (posted < receiveDepth && srq.tryPost(receive)) {
            posted++;
        }
    }

    /** Each queue pair sends whenever both its last send and its last receive are done, those of the client first. */
    private void pingPong(CompletionChannel channel) throws IOException, InterruptedException {
        var done = WorkCompletions.allocate(queuePairs + receiveDepth);
        Arrays.fill(pending, 0, queuePairs, RECEIVE_ID);
        if (options.isClient()) {
            for (int q = 0; q < queuePairs; q++) {
                postSend(q);
            }
        }
        while (received < options.iterations || sent < options.iterations) {
            PingPongOptions.await(channel, cq);
            for (int n = cq.poll(done); n > 0; n = cq.poll(done)) {
                for (int i = 0; i < n; i++) {
                    completed(done, i);
                }
            }
        }
    }

    private void completed(WorkCompletions done, int i) throws IOException {
        if (!done.isSuccess(i)) {
            throw new IOException("Failed status " + done.status(i) + " for wr_id " + done.wrId(i));
        }
        if (done.wrId(i) == SEND_ID) {
            sent++;
        } else {
            received++;
            if (--posted <= queuePairs) {
                postReceives();
            }
        }
        int q = indexOf(done.qpNum(i));
        pending[q] &= ~(int) done.wrId(i);
        if (pending[q] == 0 && sent < options.iterations) {
            postSend(q);
        }
    }

    private void postSend(int q) {
        qps.get(q).tryPost(send);
        pending[q] = RECEIVE_ID | SEND_ID;
    }

    private int indexOf(int qpNum) throws IOException {
        for (int q = 0; q < queuePairs; q++) {
            if (qps.get(q).qpNum() == qpNum) {
                return q;
            }
        }
        throw new IOException(String.format("Couldn't find QPN %06x", qpNum));
    }
}
