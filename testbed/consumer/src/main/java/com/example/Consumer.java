package com.example;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.verbs.Device;
import java.lang.foreign.Arena;

/** Takes the first step into each part of the library. */
public final class Consumer {

    private Consumer() {}

    /**
     * Prints one line; exit status 3 when the library says that it cannot.
     *
     * @param args the part: verbs, cm or ucx
     */
    public static void main(String... args) {
        try {
            System.out.println(
                    switch (args[0]) {
                        case "verbs" -> "devices: " + Device.list();
                        case "cm" -> channel();
                        case "ucx" -> message();
                        default -> throw new IllegalArgumentException(args[0]);
                    });
        } catch (RdmaException e) {
            System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            System.exit(3);
        }
    }

    private static String channel() {
        try (var channel = EventChannel.open()) {
            return "open: " + channel;
        }
    }

    private static String message() {
        try (var context = UcpContext.create();
                var worker = context.createWorker();
                var endpoint = worker.createEndpoint(worker.address());
                var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(64);
            long receive = worker.tagReceive(buffer, 7);
            long send = endpoint.tagSend(arena.allocateFrom("hello, UCX"), 7);
            while (!worker.requests().isDone(receive) || !worker.requests().isDone(send)) {
                worker.progress();
            }
            worker.requests().release(receive);
            worker.requests().release(send);
            return "received: " + buffer.getString(0);
        }
    }
}
