package dev.isthmus.samples;

import static java.lang.foreign.MemorySegment.NULL;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Calls a function of a server, by active messages. A call is a text with a number as its header; the answer is a text
 * with the same number. Server and client are threads of one process here, and would be the same in two.
 */
public final class UcpRpc {

    private static final int CALL = 1; // the ids of the two kinds of message
    private static final int ANSWER = 2;
    private static final int FLAGS = UcpActiveMessages.EAGER; // the texts are short, and come with their messages
    private static final int LONGEST = 4096; // bytes of a text
    private static final Duration DEADLINE = Duration.ofSeconds(5); // of a call

    private UcpRpc() {}

    /** Answers a call, on the server's thread. What a client sends is not to be relied on. */
    private static void answer(UcpActiveMessage call, UnaryOperator<String> function) {
        if (call.hasReply()
                && !call.isRendezvous()
                && call.length() <= LONGEST
                && call.header().length() == 8) {
            String answer = function.apply(text(call));
            if (answer != null) {
                var sent = call.replyAsync(ANSWER, number(call.header().getLong(0)), bytes(answer), FLAGS);
                sent.exceptionally(gone -> null); // the client may have left meanwhile
            }
        }
    }

    /** What the server does; to one text it has no answer. */
    private static String capitals(String text) {
        return text.equals("silence") ? null : text.toUpperCase(Locale.ROOT);
    }

    /** Calls, and hands out the answers, on its worker's thread. */
    private static final class Client {

        private final UcpEndpoint server;
        private final Map<Long, CompletableFuture<String>> calls = new HashMap<>();
        private long last;

        Client(UcpWorker worker, UcpAddress address) {
            server = worker.createEndpoint(address);
            worker.activeMessages().setHandler(ANSWER, this::onAnswer);
        }

        /** The caller may cancel it, or let it time out, on any thread: an answer that comes after that is dropped. */
        CompletableFuture<String> call(String text, Executor loop) {
            var answer = new CompletableFuture<String>();
            long number = ++last;
            calls.put(number, answer);
            var ignored = answer.whenCompleteAsync((result, failure) -> calls.remove(number), loop);
            var sent = server.amSendAsync(CALL, number(number), bytes(text), UcpActiveMessages.REPLY | FLAGS);
            sent.exceptionally(gone -> {
                answer.completeExceptionally(gone);
                return null;
            });
            return answer;
        }

        private void onAnswer(UcpActiveMessage answer) {
            var call = calls.remove(answer.header().getLong(0));
            if (call != null) {
                call.complete(text(answer));
            }
        }

        void close() {
            server.close();
        }
    }

    // Memory that the collector frees: UCX is done with it when the send is, and this library holds it until then.
    private static MemorySegment bytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length == 0 ? NULL : Arena.ofAuto().allocateFrom(JAVA_BYTE, bytes);
    }

    private static MemorySegment number(long number) {
        return Arena.ofAuto().allocateFrom(JAVA_LONG, number);
    }

    private static String text(UcpActiveMessage message) {
        return new String(message.data().toArray(), StandardCharsets.UTF_8);
    }

    /**
     * Needs no RDMA device. Has a server on one thread, and a client on another that calls it.
     *
     * @param args what to call with
     */
    public static void main(String... args) {
        try (var context = UcpContext.create(config -> config.features(EnumSet.of(UcpFeature.AM, UcpFeature.WAKEUP)));
                var serverLoop = EventLoop.start();
                var clientLoop = EventLoop.start();
                var serving = context.createWorker(serverLoop, config -> {});
                var calling = context.createWorker(clientLoop, config -> {})) {
            UcpAddress address = serverLoop.call(() -> {
                serving.activeMessages().setHandler(CALL, call -> answer(call, UcpRpc::capitals));
                return serving.address(); // bytes, which a client elsewhere would be sent by other means
            });
            Client client = clientLoop.call(() -> new Client(calling, address));
            for (String text : args) {
                System.out.println(clientLoop
                        .submitAsync(() -> client.call(text, clientLoop))
                        .orTimeout(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
                        .exceptionally(failure -> "no answer to \"" + text + "\": " + failure)
                        .join());
            }
            clientLoop.submit(client::close).join();
        }
    }
}
