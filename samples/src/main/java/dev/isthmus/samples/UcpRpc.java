// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls a function of a server by active messages. A call is a text with a number as its header, and the answer is
 * a text with the same number. Here server and client are threads of one process. In two processes they would look
 * the same.
 */
public final class UcpRpc {

    private static final int CALL = 1; // the ids of the two kinds of message
    private static final int ANSWER = 2;
    private static final int MAX_TEXT = 4096; // bytes of a text
    private static final Map<Long, CompletableFuture<String>> CALLS = new ConcurrentHashMap<>(); // without an answer
    private static final AtomicLong LAST = new AtomicLong();

    private UcpRpc() {}

    /** The caller may cancel it, or let it time out, on any thread: an answer that comes after that is dropped. */
    static CompletableFuture<String> call(UcpEndpoint server, String text) {
        var answer = new CompletableFuture<String>();
        long number = LAST.incrementAndGet();
        CALLS.put(number, answer);
        int flags = UcpActiveMessages.REPLY | UcpActiveMessages.EAGER; // the text is short, and comes with its message
        var sent = server.amSendAsync(CALL, Arena.ofAuto().allocateFrom(JAVA_LONG, number), bytes(text), flags);
        var _ = sent.handle((done, failure) -> failure != null && answer.completeExceptionally(failure));
        var _ = answer.whenComplete((result, failure) -> CALLS.remove(number));
        return answer;
    }

    /** Capitals of a text, on the server's thread. What a client sends is not to be relied on. To silence there is no answer. */
    private static void onCall(UcpActiveMessage call) {
        if (call.hasReply()
                && !call.isRendezvous()
                && call.length() <= MAX_TEXT
                && call.header().length() == 8) {
            String answer = text(call).toUpperCase(Locale.ROOT);
            if (!answer.equals("SILENCE")) {
                MemorySegment number =
                        Arena.ofAuto().allocateFrom(JAVA_LONG, call.header().getLong(0));
                var _ = call.replyAsync(ANSWER, number, bytes(answer), UcpActiveMessages.EAGER);
            }
        }
    }

    private static void onAnswer(UcpActiveMessage answer) {
        CALLS.getOrDefault(answer.header().getLong(0), new CompletableFuture<>())
                .complete(text(answer));
    }

    // Memory that the collector frees: UCX is done with it when the send is, and this library holds it until then.
    private static MemorySegment bytes(String text) {
        return Arena.ofAuto().allocateFrom(JAVA_BYTE, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(UcpActiveMessage message) {
        return new String(message.data().toArray(), StandardCharsets.UTF_8);
    }

    /**
     * Needs no RDMA device. Runs a server on one thread, and a client that calls it on another.
     *
     * @param args the texts to call with
     */
    public static void main(String... args) {
        try (var context = UcpContext.create(config -> config.features(EnumSet.of(UcpFeature.AM, UcpFeature.WAKEUP)));
                var serverLoop = EventLoop.start();
                var clientLoop = EventLoop.start();
                var server = context.createWorker(serverLoop, config -> config.handler(CALL, UcpRpc::onCall));
                var client = context.createWorker(clientLoop, config -> config.handler(ANSWER, UcpRpc::onAnswer))) {
            // Bytes, which a client elsewhere would be sent by other means.
            var address = serverLoop.call(server::address);
            var endpoint = clientLoop.call(() -> client.createEndpoint(address));
            for (String text : args) {
                System.out.println(clientLoop
                        .submitAsync(() -> call(endpoint, text))
                        .orTimeout(20, TimeUnit.SECONDS)
                        .exceptionally(failure -> "no answer to \"" + text + "\": " + failure)
                        .join());
            }
            clientLoop.submit(endpoint::close).join();
        }
    }
}
