// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.CmException;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Connector;
import dev.isthmus.cm.Listener;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Two processes that send a number back and forth. Each adds one to it. */
public final class PingPong {

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final Connection connection;
    private final RegisteredMemory memory;
    private final ReceiveRequest receive;
    private final SendRequest send;
    private final WorkCompletions done = WorkCompletions.allocate(1);

    /** Before the connection is there, so that no number comes before its receive. */
    private PingPong(Connection connection) {
        this.connection = connection;
        memory = connection.allocate(2 * Long.BYTES, AccessFlag.LOCAL_WRITE);
        receive = ReceiveRequest.prepare(memory.region()).range(0, Long.BYTES);
        send = SendRequest.prepare(memory.region())
                .range(Long.BYTES, Long.BYTES)
                .signaled(true);
        connection.queuePair().post(receive);
        connection.id().attach(this);
    }

    private static long play(Connection connection, boolean begins, long rounds) throws InterruptedException {
        var side = (PingPong) connection.id().attachment();
        side.await(begins ? 0 : 1);
        for (long i = 0; i < rounds; i++) {
            side.memory
                    .segment()
                    .setAtIndex(JAVA_LONG, 1, 1 + side.memory.segment().getAtIndex(JAVA_LONG, 0));
            connection.queuePair().post(side.receive);
            connection.queuePair().post(side.send);
            side.await(2); // this number has gone, and the next is here
        }
        return side.memory.segment().getAtIndex(JAVA_LONG, 0);
    }

    private void await(int completions) throws InterruptedException {
        for (int seen = 0; seen < completions; seen += done.isSuccess(0) ? 1 : 0) { // else the next await says more
            if (connection.await(done, DEADLINE) == 0) {
                throw new IllegalStateException("no answer for " + DEADLINE.toSeconds() + " s");
            }
        }
    }

    /**
     * Needs an RDMA device.
     *
     * @param args the address and port to listen at; or the address and port to connect to, and how many rounds to play
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws InterruptedException {
        var address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        if (args.length == 2) {
            try (var listener = Listener.bind(address, of -> of.connections(setup -> setup.prepare(PingPong::new)))) {
                System.out.println("listening at " + listener.localAddress());
                try (var connection = listener.accept()) {
                    play(connection, false, Long.MAX_VALUE);
                } catch (CmException e) {
                    System.out.println("the peer has left: " + e.failure());
                }
            }
        } else {
            int rounds = Integer.parseInt(args[2]);
            try (var connection = Connector.connect(address, DEADLINE, setup -> setup.prepare(PingPong::new))) {
                System.out.println("the number is " + play(connection, true, rounds));
            }
        }
    }
}
