package dev.isthmus.samples;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
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
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

    private static final int RECEIVE_ID = 1;
    private static final int SEND_ID = 2;
    private static final int QKEY = 0x11111111;

    /** What a received datagram begins with: the global route header. */
    private static final int HEADER = 40;

    @Mixin
    private final PingPongOptions options = new PingPongOptions(1024, 1000);

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
     * @param args as those of {@code ibv_ud_pingpong}
     */
    public static void main(String... args) {
        System.exit(PingPongOptions.commandLine(new UdPingPong()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (var arena = Arena.ofConfined();
                var device = options.open();
                var channel = options.events ? device.createCompletionChannel() : null;
                var pd = device.allocateProtectionDomain();
                var region = pd.register(
                        arena.allocate(HEADER + options.size, PingPongOptions.PAGE)
                                .fill((byte) 0x7b),
                        AccessFlag.LOCAL_WRITE);
                var queue = PingPongOptions.completionQueue(device, receiveDepth + 1, channel);
                var pair = pd.createQueuePair(
                        QueuePairType.UD, queue, queue, c -> c.maxSendWr(1).maxRecvWr(receiveDepth))) {
            int most = device.port(options.ibPort).activeMtu().bytes();
            if (options.size > most) {
                throw new IOException("Requested size larger than port MTU (" + most + ")");
            }
            cq = queue;
            qp = pair;
            qp.modify(QueuePairTransition.to(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .port(options.ibPort)
                    .qkey(QKEY));
            receive = ReceiveRequest.prepare(region).wrId(RECEIVE_ID);
            postReceives();

            PingPongAddress mine = options.address(device, qp.qpNum());
            out.println("  local address:  " + mine.toString().replace(", GID", ": GID")); // as C has it
            PingPongAddress remote = PingPongPeer.meet(options, List.of(mine), peer -> {
                        out.println("  remote address: " + peer.getFirst());
                        qp.modify(QueuePairTransition.to(QueuePairState.RTR));
                        qp.modify(QueuePairTransition.to(QueuePairState.RTS).sqPsn(mine.psn()));
                    })
                    .getFirst();

            try (var handle = pd.createAddressHandle(options.pathTo(device, remote))) {
                send = SendRequest.prepare(region)
                        .range(HEADER, options.size)
                        .wrId(SEND_ID)
                        .to(handle, remote.qpNum(), QKEY)
                        .signaled(true)
                        .inline(options.size <= qp.capabilities().maxInline());
                MemorySegment message = region.segment().asSlice(HEADER);
                if (options.isClient() && check) {
                    PingPongOptions.mark(message);
                }
                long start = System.nanoTime();
                pingPong(channel);
                options.report(out, System.nanoTime() - start);
                return options.isClient() || !check || PingPongOptions.isMarked(message, out) ? 0 : 1;
            }
        }
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
