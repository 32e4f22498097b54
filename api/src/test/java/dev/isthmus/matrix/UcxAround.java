// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpConnectionRequest;
import java.time.Duration;
import java.util.stream.Stream;

/** What the program does while UCX progresses the worker, and so calls the handler in which a cell's part runs. */
record UcxAround(String name, boolean closes, boolean needsSockets, UcxClosing.Step prepare, UcxClosing.Step run) {

    /** All of them: what progresses only, and each close that may wait. */
    static Stream<UcxAround> all() {
        return Stream.concat(calls(), Stream.of(UcxClosing.values()).flatMap(UcxAround::closes));
    }

    private static Stream<UcxAround> calls() {
        return Stream.of(
                new UcxAround("progress", false, false, s -> {}, s -> s.peers.turnMine()),
                new UcxAround(
                        "await",
                        false,
                        false,
                        s -> s.messages.request(),
                        s -> s.peers.mine.await(s.messages.request(), Duration.ofMillis(2))),
                new UcxAround(
                        "arm", false, false, s -> {}, s -> s.peers.mine.wakeup().arm()),
                new UcxAround("fence", false, false, s -> {}, s -> s.peers.mine.fence()),
                new UcxAround(
                        "createEndpoint",
                        false,
                        false,
                        s -> {},
                        s -> s.resources.add(s.peers.mine.createEndpoint(s.peers.theirs.address()))),
                new UcxAround(
                        "createListener",
                        false,
                        true,
                        s -> {},
                        s -> s.resources.add(
                                s.peers.mine.createListener(UcxConnections.loopback(), UcpConnectionRequest::reject))),
                new UcxAround(
                        "reject",
                        false,
                        true,
                        s -> s.connections.undecided(),
                        s -> s.connections.undecided().reject()));
    }

    /** A close, and one that has something to wait for. */
    private static Stream<UcxAround> closes(UcxClosing closing) {
        return switch (closing) {
            case REMOTE ->
                Stream.of(close(closing, "", s -> {}), close(closing, " busy with a get", s -> s.memories.getBusily()));
            case ENDPOINT, ENDPOINT_FORCIBLY, ENDPOINT_ASYNC, ENDPOINT_AT_ONCE, WORKER, WORKER_ASYNC, WORKER_AT_ONCE ->
                Stream.of(
                        close(closing, "", s -> {}), close(closing, " busy with a send", s -> s.traffic.sendBusily()));
            case LISTENER -> Stream.of(close(closing, "", s -> {}));
            default -> Stream.empty(); // they never progress a worker
        };
    }

    private static UcxAround close(UcxClosing closing, String how, UcxClosing.Step busy) {
        return new UcxAround(
                "close of " + closing + how,
                true,
                closing.needsSockets(),
                s -> {
                    closing.prepare(s);
                    busy.on(s);
                },
                closing::close);
    }
}
