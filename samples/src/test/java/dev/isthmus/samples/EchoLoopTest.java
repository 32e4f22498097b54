// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.Connector;
import dev.isthmus.cm.GroupHandler;
import dev.isthmus.cm.GroupMember;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("extended")
class EchoLoopTest {

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(60);
    private static final int CLIENTS = 6;
    private static final int CROWD = Integer.parseInt(System.getenv().getOrDefault("ISTHMUS_CLIENTS", "100"));

    private interface Clients {
        void use(InetSocketAddress address) throws Exception;
    }

    /** Runs a server on a thread of its own until the clients are done with it. */
    private static void serve(Clients clients) throws Exception {
        try (var loop = EventLoop.start()) {
            EchoLoop server = loop.call(() -> new EchoLoop(loop, new InetSocketAddress(lastDevice(), 0)));
            try (server.group) {
                clients.use(server.address);
            }
        }
    }

    private static InetAddress lastDevice() {
        try {
            return DeviceAddress.last();
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldServeManyClientsOnOneThread() throws Exception {
        serve(at -> {
            var clients = new ArrayList<Future<Void>>();
            for (int c = 0; c < CLIENTS; c++) {
                List<String> texts = IntStream.range(0, 5 * (c + 1))
                        .mapToObj(i -> "text " + i)
                        .toList();
                clients.add(Task.start(() -> assertEquals(texts, EchoClient.echo(at, texts))));
            }
            for (Future<Void> client : clients) {
                client.get();
            }
            assertEquals(List.of("again"), EchoClient.echo(at, List.of("again"))); // after others have left
        });
    }

    /** Many clients on one thread, each of which sends its number and waits until it is back. */
    private static final class Crowd implements GroupHandler {

        private final CompletableFuture<Void> all = new CompletableFuture<>();
        private final ConnectionGroup group;
        private final RegisteredMemory memory; // the numbers, and then the answers
        private final ReceiveRequest receive;
        private final SendRequest send;
        private int come;
        private int answered;

        Crowd(EventLoop loop) {
            group = ConnectionGroup.open(
                    loop,
                    lastDevice(),
                    this,
                    config -> config.receives(CROWD).completions(2 * CROWD).queuePair(queues -> queues.maxSendWr(1)));
            memory = group.allocate(2L * CROWD * Long.BYTES, AccessFlag.LOCAL_WRITE);
            receive = ReceiveRequest.prepare(memory.region());
            send = SendRequest.prepare(memory.region()).signaled(true);
            for (int i = 0; i < CROWD; i++) {
                memory.segment().setAtIndex(ValueLayout.JAVA_LONG, i, 7000 + i);
                group.receives()
                        .post(receive.range((long) (CROWD + i) * Long.BYTES, Long.BYTES)
                                .wrId(CROWD + i));
            }
        }

        @Override
        public void connected(GroupMember member) {
            member.attach(come);
            boolean sent = member.queuePair()
                    .tryPost(send.range((long) come * Long.BYTES, Long.BYTES).wrId(come));
            assertTrue(sent);
            come++;
        }

        @Override
        public void completed(GroupMember member, WorkCompletions done, int i) {
            if (!done.isSuccess(i)) {
                all.completeExceptionally(new AssertionError(done.toString()));
            } else if (done.wrId(i) >= CROWD) {
                long answer = memory.segment().getAtIndex(ValueLayout.JAVA_LONG, done.wrId(i));
                assertEquals(7000 + (int) member.attachment(), answer);
                if (++answered == CROWD) {
                    all.complete(null);
                }
            }
        }

        @Override
        public void ended(GroupMember member, CmException how) {
            all.completeExceptionally(how);
        }
    }

    /** The number of clients is {@code ISTHMUS_CLIENTS}, 1,000 for instance. */
    @Test
    void shouldServeACrowdThatComesAtOnce() throws Exception {
        serve(at -> {
            var wrong = new CompletableFuture<Void>();
            try (var loop = EventLoop.start(config -> config.exceptionHandler(wrong::completeExceptionally))) {
                Crowd crowd = loop.call(() -> new Crowd(loop));
                try (crowd.group) {
                    loop.call(() -> {
                        for (int i = 0; i < CROWD; i++) {
                            crowd.group.connect(at, DEADLINE).exceptionally(failure -> {
                                crowd.all.completeExceptionally(failure);
                                return null;
                            });
                        }
                        return null;
                    });
                    CompletableFuture.anyOf(crowd.all, wrong).get();
                }
            }
        });
    }

    @Test
    void shouldSendAwayWhoTakesNoAnswers() throws Exception {
        serve(at -> {
            try (var connection = Connector.connect(at, DEADLINE)) { // it posts no receives
                var memory = connection.allocate(8, AccessFlag.LOCAL_WRITE);
                var send = SendRequest.prepare(memory.region());
                for (int i = 0; i < 17; i++) { // one more than it may
                    assertTrue(connection.queuePair().tryPost(send));
                }
                assertEquals(List.of("others", "are served"), EchoClient.echo(at, List.of("others", "are served")));
                CmException end = connection.awaitEnd(DEADLINE);
                assertEquals(CmException.Failure.DISCONNECTED, end.failure());
            }
        });
    }

    @Test
    void shouldPrintWhatThePageShows() throws Exception {
        SamplesPage.Command client = SamplesPage.command("EchoClient");
        List<String> printed = Output.of(() -> serve(at -> {
            EchoClient.main(client.with(at.getHostString(), "" + at.getPort()));
            Output.await(" disconnected");
        }));
        SamplesPage.assertPrint(printed, "EchoLoop", "EchoClient");
    }
}
