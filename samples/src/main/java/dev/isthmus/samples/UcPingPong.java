package dev.isthmus.samples;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Mtu;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code ibv_uc_pingpong} in Java: two programs send each other a message in turn, over an unreliable connection: a
 * message that is lost is not sent again, and both wait for ever. Takes
 * the same flags, prints the same lines, and has this or the C program as its peer.
 */
@Command(
        name = "uc_pingpong",
        description = "Sends a message there and back over UC. Without HOST it is the server and waits for one client.",
        sortOptions = false,
        exitCodeOnInvalidInput = 1,
        mixinStandardHelpOptions = true)
public final class UcPingPong implements Callable<Integer> {

    private static final int RECEIVE_ID = 1;
    private static final int SEND_ID = 2;

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
            names = {"-c", "--chk"},
            description = "validate what was received")
    private boolean check;

    @Spec
    private CommandSpec spec;

    private QueuePair qp;
    private CompletionQueue cq;
    private SendRequest send;
    private ReceiveRequest receive;

    /** How many receives are posted. */
    private int posted;

    private int received;
    private int sent;

    /** What it waits for, before it sends again. */
    private int pending = RECEIVE_ID;

    /**
     * Runs the program.
     *
     * @param args as those of {@code ibv_uc_pingpong}
     */
    public static void main(String... args) {
        System.exit(PingPongOptions.commandLine(new UcPingPong()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (var arena = Arena.ofConfined();
                var device = options.open();
                var channel = options.events ? device.createCompletionChannel() : null;
                var pd = device.allocateProtectionDomain();
                var region = pd.register(
                        arena.allocate(options.size, PingPongOptions.PAGE).fill((byte) 0x7b), AccessFlag.LOCAL_WRITE);
                var queue = PingPongOptions.completionQueue(device, receiveDepth + 1, channel);
                var pair = pd.createQueuePair(
                        QueuePairType.UC, queue, queue, c -> c.maxSendWr(1).maxRecvWr(receiveDepth))) {
            cq = queue;
            qp = pair;
            receive = ReceiveRequest.prepare(region).wrId(RECEIVE_ID);
            send = SendRequest.prepare(region)
                    .wrId(SEND_ID)
                    .signaled(true)
                    .inline(options.size <= qp.capabilities().maxInline());
            qp.modify(QueuePairTransition.to(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .port(options.ibPort)
                    .access());
            postReceives();

            PingPongAddress mine = options.address(device, qp.qpNum());
            out.println("  local address:  " + mine);
            PingPongPeer.meet(options, List.of(mine), remote -> {
                out.println("  remote address: " + remote.getFirst());
                connect(options.pathTo(device, remote.getFirst()), mine, remote.getFirst());
            });

            if (options.isClient() && check) {
                PingPongOptions.mark(region.segment());
            }
            long start = System.nanoTime();
            pingPong(channel);
            options.report(out, System.nanoTime() - start);
            return options.isClient() || !check || PingPongOptions.isMarked(region.segment(), out) ? 0 : 1;
        }
    }

    /** To RTR, from where on it can receive, and to RTS. */
    private void connect(AddressVector path, PingPongAddress mine, PingPongAddress remote) {
        qp.modify(QueuePairTransition.to(QueuePairState.RTR)
                .path(path)
                .pathMtu(mtu)
                .destQpNum(remote.qpNum())
                .rqPsn(remote.psn()));
        qp.modify(QueuePairTransition.to(QueuePairState.RTS).sqPsn(mine.psn()));
    }

    private void postReceives() {
        while (posted < receiveDepth && qp.tryPost(receive)) {
            posted++;
        }
    }

    /** Sends whenever both the last send and the last receive are done, the client first. */
    private void pingPong(CompletionChannel channel) throws IOException, InterruptedException {
        var done = WorkCompletions.allocate(2);
        if (options.isClient()) {
            postSend();
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
            if (--posted <= 1) {
                postReceives();
            }
        }
        pending &= ~(int) done.wrId(i);
        if (pending == 0 && sent < options.iterations) {
            postSend();
        }
    }

    private void postSend() {
        qp.tryPost(send);
        pending = RECEIVE_ID | SEND_ID;
    }
}
