package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.cm.Connector;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.SendRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("device")
@Timeout(240)
class EchoLoopTest {

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int CLIENTS = 6;

    private interface Clients {
        void use(InetSocketAddress address) throws Exception;
    }

    /** Runs a server on a thread of its own until the clients are done with it. */
    private static void serve(Clients clients) throws Exception {
        var started = new CompletableFuture<EchoLoop>();
        Future<Void> serving = Task.start(() -> {
            try (var server = new EchoLoop(new InetSocketAddress(DeviceAddress.last(), 0))) {
                started.complete(server);
                server.run();
            } catch (Throwable t) {
                started.completeExceptionally(t);
                throw t;
            }
        });
        EchoLoop server = started.get();
        clients.use(server.address());
        server.stop();
        serving.get();
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
            assertEquals(List.of("again"), EchoClient.echo(at, List.of("again"))); // to who comes when others have left
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
            Output.await("has left");
        }));
        SamplesPage.assertPrint(printed, "EchoLoop", "EchoClient");
    }
}
