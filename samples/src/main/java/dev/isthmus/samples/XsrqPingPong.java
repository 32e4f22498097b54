// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.GuardedArena;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.xrc.XrcDomain;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code ibv_xsrq_pingpong} in Java: a server and several clients send each other messages over XRC. They arrive in a
 * shared receive queue that the sender names. Takes the same flags, prints the same lines, and has this or the C program
 * as its peer.
 */
@Command(
        name = "xsrq_pingpong",
        description = "Sends messages over XRC. Without HOST it is the server and waits for its clients.",
        sortOptions = false,
        exitCodeOnInvalidInput = 1,
        mixinStandardHelpOptions = true)
public final class XsrqPingPong implements Callable<Integer> {

    /** Processes of one host that name the same file share the domain. */
    private static final Path DOMAIN_FILE = Path.of("/tmp/xrc_domain");

    private static final byte[] END = "END\0".getBytes(StandardCharsets.US_ASCII);

    @Mixin
    private final PingPongOptions options = new PingPongOptions(4096, 5);

    @Mixin
    private final PingPongOptions.PathMtu path = new PingPongOptions.PathMtu();

    @Option(
            names = {"-c", "--clients"},
            paramLabel = "N",
            description = "number of clients, for the server (default: ${DEFAULT-VALUE})")
    private int clients = 1;

    @Spec
    private CommandSpec spec;

    private PrintWriter out;
    private CompletionQueue receiveQueue;
    private CompletionQueue sendQueue;
    private SharedReceiveQueue srq;
    private SendRequest send;
    private ReceiveRequest receive;
    private final List<Client> connections = new ArrayList<>();

    /** What the two ends tell each other: 66 bytes of text with a NUL. */
    private record Address(int lid, int receiveQp, int sendQp, int psn, int srqNum, Gid gid) {

        private static final int BYTES = 66;

        private static final Pattern FORMAT = Pattern.compile(
                "([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{32})\0");

        byte[] encode() {
            String text = String.format(Locale.ROOT, "%04x:%06x:%06x:%06x:%06x:", lid, receiveQp, sendQp, psn, srqNum);
            return (text + HexFormat.of().formatHex(gid.bytes()) + "\0").getBytes(StandardCharsets.US_ASCII);
        }

        static Address decode(byte[] message) throws IOException {
            String text = new String(message, StandardCharsets.ISO_8859_1);
            Matcher fields = FORMAT.matcher(text);
            if (!fields.matches()) {
                throw new IOException("the peer sent no address, but " + PingPongAddress.printable(text));
            }
            int[] numbers = new int[5];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Integer.parseInt(fields.group(i + 1), 16);
            }
            Gid gid = Gid.of(HexFormat.of().parseHex(fields.group(6)));
            return new Address(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], gid);
        }

        String text(String whose) {
            return String.format(
                    Locale.ROOT,
                    "%8s: LID %04x, QPN RECV %06x SEND %06x, PSN %06x, SRQN %06x, GID %s",
                    whose,
                    lid,
                    receiveQp,
                    sendQp,
                    psn,
                    srqNum,
                    gid.toIpString());
        }
    }

    /** The queue pairs to and from one peer, and what is known of it. */
    private static final class Client {
        final QueuePair receiving;
        final QueuePair sending;
        PingPongPeer peer;
        Address remote;
        int sent;

        Client(QueuePair receiving, QueuePair sending) {
            this.receiving = receiving;
            this.sending = sending;
        }
    }

    /**
     * Runs the program.
     *
     * @param args the flags of {@code ibv_xsrq_pingpong}
     */
    public static void main(String... args) {
        System.exit(PingPongOptions.commandLine(new XsrqPingPong()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        out = spec.commandLine().getOut();
        if (options.isClient()) {
            clients = 1;
        }
        if (!Files.exists(DOMAIN_FILE)) {
            Files.createFile(DOMAIN_FILE);
        }
        try (var arena = GuardedArena.ofConfined();
                var device = options.open();
                var channel = options.events ? device.createCompletionChannel() : null;
                var pd = device.allocateProtectionDomain();
                var region = pd.register(arena.allocate(options.size, PingPongOptions.PAGE), AccessFlag.LOCAL_WRITE);
                var domain = XrcDomain.open(device, DOMAIN_FILE, XrcDomain.OpenOption.CREATE);
                var received = PingPongOptions.completionQueue(device, clients, channel);
                var sent = device.createCompletionQueue(clients);
                var shared = domain.createSharedReceiveQueue(pd, received, c -> c.maxWr(clients))) {
            receiveQueue = received;
            sendQueue = sent;
            srq = shared;
            try {
                run(device, channel, pd, domain, region);
            } finally {
                close();
            }
        }
        out.println("success");
        return 0;
    }

    private void run(
            DeviceContext device, CompletionChannel channel, ProtectionDomain pd, XrcDomain domain, MemoryRegion region)
            throws IOException, InterruptedException {
        for (int i = 0; i < clients; i++) {
            QueuePair receiving = domain.createQueuePair();
            QueuePair sending = pd.createQueuePair(
                    QueuePairType.XRC_SEND, sendQueue, null, c -> c.maxSendWr(clients * options.iterations));
            connections.add(new Client(receiving, sending));
            receiving.modify(QueuePairTransition.to(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .port(options.ibPort)
                    .access(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
            sending.modify(QueuePairTransition.to(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .port(options.ibPort)
                    .access());
        }
        receive = ReceiveRequest.prepare(region);
        send = SendRequest.prepare(region);
        for (int i = 0; i < clients; i++) {
            srq.post(receive);
        }
        if (options.isClient()) {
            Client client = connections.getFirst();
            client.peer = PingPongPeer.connect(options.server.orElseThrow(), options.port);
            Address mine = sendAddress(device, client);
            client.remote = receiveAddress(client);
            connect(device, client, mine);
        } else {
            acceptAll(device);
            for (int i = 0; i < clients; i++) {
                postSend(i);
            }
        }
        pingPong(channel);
        terminate();
    }

    private void acceptAll(DeviceContext device) throws IOException {
        try (ServerSocket listener = PingPongPeer.listen(options.port)) {
            for (Client client : connections) {
                client.peer = PingPongPeer.accept(listener);
                client.remote = receiveAddress(client);
                connect(device, client, sendAddress(device, client));
            }
        }
    }

    private Address sendAddress(DeviceContext device, Client client) throws IOException {
        PingPongAddress port = options.address(device, client.receiving.qpNum());
        var mine = new Address(port.lid(), port.qpNum(), client.sending.qpNum(), port.psn(), srq.srqNum(), port.gid());
        out.println(mine.text("local"));
        client.peer.write(mine.encode());
        return mine;
    }

    private Address receiveAddress(Client client) throws IOException {
        Address remote = Address.decode(client.peer.read(Address.BYTES, "address"));
        out.println(remote.text("remote"));
        return remote;
    }

    /** The peer's sending queue pair is connected to the receiving one here, and the other way round. */
    private void connect(DeviceContext device, Client client, Address mine) throws IOException {
        Address remote = client.remote;
        AddressVector way =
                options.pathTo(device, new PingPongAddress(remote.lid(), remote.sendQp(), remote.psn(), remote.gid()));
        client.receiving.modify(QueuePairTransition.to(QueuePairState.RTR)
                .path(way)
                .pathMtu(path.mtu)
                .destQpNum(remote.sendQp())
                .rqPsn(remote.psn())
                .maxDestRdAtomic(0)
                .minRnrTimer(12));
        client.receiving.modify(
                QueuePairTransition.to(QueuePairState.RTS).timeout(14).sqPsn(mine.psn()));
        client.sending.modify(QueuePairTransition.to(QueuePairState.RTR)
                .path(way)
                .pathMtu(path.mtu)
                .destQpNum(remote.receiveQp())
                .rqPsn(remote.psn()));
        client.sending.modify(QueuePairTransition.to(QueuePairState.RTS)
                .timeout(14)
                .sqPsn(mine.psn())
                .retryCount(7)
                .rnrRetry(7)
                .maxRdAtomic(0));
    }

    /** Sends to a client, in turn over each of the queue pairs; only its last message completes visibly. */
    private void postSend(int index) {
        Client client = connections.get(index);
        Client way = connections.get((index + client.sent) % clients);
        client.sent++;
        way.sending.post(send.wrId(index)
                .sharedReceiveQueue(client.remote.srqNum())
                .signaled(client.sent >= options.iterations));
    }

    private void pingPong(CompletionChannel channel) throws IOException, InterruptedException {
        var done = WorkCompletions.allocate(1);
        for (int count = 0; count < clients * options.iterations; ) {
            PingPongOptions.await(channel, receiveQueue);
            while (receiveQueue.poll(done) > 0) {
                check(done);
                srq.post(receive);
                int index = indexOf(done.qpNum(0));
                if (connections.get(index).sent < options.iterations) {
                    postSend(index);
                }
                count++;
            }
        }
        for (int count = 0; count < clients; ) {
            if (sendQueue.poll(done) > 0) {
                check(done);
                count++;
            }
        }
    }

    private static void check(WorkCompletions done) throws IOException {
        if (!done.isSuccess(0)) {
            throw new IOException("Work completion error " + done.status(0));
        }
    }

    private int indexOf(int qpNum) throws IOException {
        for (int i = 0; i < clients; i++) {
            if (clients == 1 || connections.get(i).receiving.qpNum() == qpNum) {
                return i;
            }
        }
        throw new IOException(String.format(Locale.ROOT, "Unable to find qp %x", qpNum));
    }

    /** Nobody closes its queue pairs before all have come this far: messages to a peer go through those of others. */
    private void terminate() throws IOException {
        if (options.isClient()) {
            connections.getFirst().peer.write(END);
        }
        for (Client client : connections) {
            client.peer.expect(END);
        }
        if (!options.isClient()) {
            for (Client client : connections) {
                client.peer.write(END);
            }
        }
    }

    private void close() throws IOException {
        for (Client client : connections) {
            client.sending.close();
            client.receiving.close();
            if (client.peer != null) {
                client.peer.close();
            }
        }
    }
}
