// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.CmException;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Listener;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Sends back to each client what it has sent, with a thread for each. Clients connect by address and port. */
public final class EchoServer {

    /** How many messages of a client can be under way. */
    static final int SLOTS = 16;

    /** The longest message, in bytes. */
    static final int MESSAGE = 1024;

    private EchoServer() {}

    /**
     * Needs an RDMA device. Runs until you end it.
     *
     * @param args the address and port to listen at
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws InterruptedException {
        if (args.length < 2) {
            System.err.println("usage: EchoServer ADDRESS PORT");
            System.exit(2);
        }
        try (var listener = listen(new InetSocketAddress(args[0], Integer.parseInt(args[1])))) {
            while (true) {
                serve(listener);
            }
        }
    }

    static Listener listen(InetSocketAddress address) {
        var listener =
                Listener.bind(address, config -> config.connections(setup -> setup.prepare(EchoServer::postReceives)));
        System.out.println("listening at " + listener.localAddress());
        return listener;
    }

    /** Before a client can send: a receive for each message that it may have under way. */
    private static void postReceives(Connection connection) {
        RegisteredMemory memory = connection.allocate((long) SLOTS * MESSAGE, AccessFlag.LOCAL_WRITE);
        connection.id().attach(memory);
        for (int slot = 0; slot < SLOTS; slot++) {
            connection.queuePair().post(receive(memory, slot));
        }
    }

    private static ReceiveRequest receive(RegisteredMemory memory, long slot) {
        return ReceiveRequest.prepare(memory.region())
                .range(slot * MESSAGE, MESSAGE)
                .wrId(slot);
    }

    /** Accepts a client, and leaves it to a thread of its own. */
    static Thread serve(Listener listener) throws InterruptedException {
        Connection connection = listener.accept();
        Thread thread = Thread.ofPlatform().unstarted(() -> echo(connection));
        connection.handOver(thread);
        thread.start();
        return thread;
    }

    private static void echo(Connection connection) {
        try (connection) {
            var memory = (RegisteredMemory) connection.id().attachment();
            var done = WorkCompletions.allocate(SLOTS);
            while (true) {
                int n = connection.await(done, Duration.ofDays(1));
                for (int i = 0; i < n; i++) {
                    if (!done.isSuccess(i)) {
                        continue; // the client has gone: the next wait says so
                    }
                    long slot = done.wrId(i);
                    if (done.opcode(i) == CompletionOpcode.RECV) {
                        connection
                                .queuePair()
                                .post(SendRequest.prepare(memory.region())
                                        .range(slot * MESSAGE, done.byteLength(i))
                                        .wrId(slot)
                                        .signaled(true));
                    } else {
                        connection.queuePair().post(receive(memory, slot));
                    }
                }
            }
        } catch (CmException e) {
            System.out.println(connection.peerAddress() + ": " + e.failure());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
