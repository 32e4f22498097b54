// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.GuardedArena;
import dev.isthmus.VerbsException;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.exchange.AddressExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A server lends a region of memory to a client, which writes into it. They connect without rdma_cm. */
public final class ConnectOverTcp {

    private ConnectOverTcp() {}

    /**
     * Needs an RDMA device on each side.
     *
     * @param args {@code server} or {@code client}, and the address and port where the server listens
     * @throws IOException if the two cannot exchange addresses
     */
    public static void main(String... args) throws IOException {
        if (args.length < 3) {
            System.err.println("usage: ConnectOverTcp server ADDRESS PORT | client ADDRESS PORT");
            System.exit(2);
        }
        var server = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        if (args[0].equals("server")) {
            // docs: listen
            try (var listener = AddressExchange.listen(server)) {
                System.out.println(serve(listener));
            }
            // docs: end
        } else {
            write(server, "hello, region");
        }
    }

    /** Waits for a client, and returns what it has written. */
    static String serve(AddressExchange.Listener listener) throws IOException {
        try (var arena = GuardedArena.ofConfined();
                var device = Device.first().open();
                var pd = device.allocateProtectionDomain();
                var cq = device.createCompletionQueue(16);
                var qp = pd.createQueuePair(QueuePairType.RC, cq, cq);
                var region = pd.register(arena.allocate(4096), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)) {
            // docs: server
            var gid = device.defaultGid(1);
            var lent = region.remoteMemory()
                    .write(ByteBuffer.allocate(RemoteMemory.BYTES))
                    .flip();
            while (qp.state() != QueuePairState.RTS) {
                var peer = listener.accept(Duration.ofMinutes(5), Duration.ofSeconds(10));
                try (peer) {
                    var remote = peer.swap(qp.address(gid), lent);
                    qp.connect(gid, remote.address());
                    qp.post(ReceiveRequest.prepare(region));
                    peer.ready(); // the client is connected, and may write
                } catch (IOException | VerbsException e) {
                    System.err.println(e.getMessage()); // names the peer and what it did: wait for the next one
                    qp.modify(QueuePairTransition.to(QueuePairState.RESET));
                }
            }
            // docs: end
            await(cq);
            return region.segment().getString(0);
        }
    }

    /** Writes a text into the server's region. */
    static void write(InetSocketAddress server, String text) throws IOException {
        try (var arena = GuardedArena.ofConfined();
                var device = Device.first().open();
                var pd = device.allocateProtectionDomain();
                var cq = device.createCompletionQueue(16);
                var qp = pd.createQueuePair(QueuePairType.RC, cq, cq);
                var region = pd.register(arena.allocateFrom(text), AccessFlag.LOCAL_WRITE)) {
            // docs: client
            var gid = device.defaultGid(1);
            try (var peer = AddressExchange.connect(server, Duration.ofSeconds(10))) {
                var remote = peer.swap(qp.address(gid));
                qp.connect(gid, remote.address());
                peer.ready();
                var lent = RemoteMemory.read(remote.data()); // the peer's word: throws when it makes no sense
                qp.post(SendRequest.prepare(region)
                        .opcode(SendOpcode.RDMA_WRITE_WITH_IMM)
                        .remote(lent, 0)
                        .signaled(true));
            }
            // docs: end
            await(cq);
        }
    }

    private static void await(CompletionQueue cq) throws IOException {
        var done = WorkCompletions.allocate(1);
        while (cq.poll(done) == 0) {
            Thread.onSpinWait();
        }
        if (!done.isSuccess(0)) {
            throw new IOException("the request ended with " + done.status(0));
        }
    }
}
