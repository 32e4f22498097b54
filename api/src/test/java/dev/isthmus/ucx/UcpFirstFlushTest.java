// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The first large message of an endpoint over TCP, and a flush. UCX before 1.14 does not survive one right behind the
 * other, unless the program does one of these: docs/ucx-faults.md.
 */
@Tag("ucx")
@Tag("host")
@Tag("extended")
class UcpFirstFlushTest {

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "posix,tcp"})
    void shouldSurviveAFlushOnceTheMessageIsDone(String tls) {
        run("UCX_TCP_PUT_ENABLE=y", tls, UcpErrorHandling.NONE, true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "posix,tcp"})
    void shouldSurviveAFlushWithErrorHandling(String tls) {
        run("UCX_TCP_PUT_ENABLE=y", tls, UcpErrorHandling.PEER, false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "posix,tcp"})
    void shouldSurviveAFlushWithoutPutOverTcp(String tls) {
        run("UCX_TCP_PUT_ENABLE=n", tls, UcpErrorHandling.NONE, false);
    }

    private static void run(String setting, String tls, UcpErrorHandling handling, boolean isPatient) {
        ChildJvm.Result result = new ChildJvm()
                .under("env", "-u", "UCX_NET_DEVICES", setting)
                .options("--enable-native-access=ALL-UNNAMED")
                .run(Program.class, tls, handling.name(), Boolean.toString(isPatient));
        assertEquals(0, result.status(), result.output());
    }

    static final class Program {

        private static final int BYTES = 100_000; // by rendezvous
        private static final int CONNECTING = 500; // more turns than TCP needs between the two

        public static void main(String[] args) {
            try (var context = UcpContext.create(
                            config -> config.set("TLS", args[0]).features(EnumSet.allOf(UcpFeature.class)));
                    var receiver = context.createWorker();
                    var sender = context.createWorker();
                    var endpoint = sender.createEndpoint(
                            receiver.address(), config -> config.errorHandling(UcpErrorHandling.valueOf(args[1])));
                    var arena = Arena.ofConfined()) {
                Runnable turn = () -> {
                    sender.progress();
                    receiver.progress();
                };
                for (int i = 0; i < CONNECTING; i++) {
                    turn.run();
                }
                MemorySegment target = arena.allocate(BYTES);
                CompletableFuture<?> received = receiver.tagReceiveAsync(target, 1, UcpWorker.EXACT_TAG);
                CompletableFuture<?> sent = endpoint.tagSendAsync(arena.allocate(BYTES), 1);
                if (Boolean.parseBoolean(args[2])) {
                    UcxTransports.until(sent::isDone, turn);
                }
                CompletableFuture<?> flushed = sender.requests().whenDone(endpoint.flush());
                UcxTransports.until(() -> received.isDone() && sent.isDone() && flushed.isDone(), turn);
                CompletableFuture<?> closed = endpoint.closeAsync();
                UcxTransports.until(closed::isDone, turn);
            }
        }
    }
}
