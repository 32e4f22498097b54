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
                new UcxAround("progress", false, false, s -> {}, UcxScene::turnMine),
                new UcxAround(
                        "await", false, false, UcxScene::request, s -> s.mine.await(s.request(), Duration.ofMillis(2))),
                new UcxAround("arm", false, false, s -> {}, s -> s.mine.wakeup().arm()),
                new UcxAround("fence", false, false, s -> {}, s -> s.mine.fence()),
                new UcxAround(
                        "createEndpoint",
                        false,
                        false,
                        s -> {},
                        s -> s.closing(s.mine.createEndpoint(s.theirs.address()))),
                new UcxAround(
                        "createListener",
                        false,
                        true,
                        s -> {},
                        s -> s.closing(s.mine.createListener(s.loopback(), UcpConnectionRequest::reject))),
                new UcxAround(
                        "reject",
                        false,
                        true,
                        UcxScene::undecided,
                        s -> s.undecided().reject()));
    }

    /** A close, and one that has something to wait for. */
    private static Stream<UcxAround> closes(UcxClosing closing) {
        return switch (closing) {
            case REMOTE ->
                Stream.of(close(closing, "", s -> {}), close(closing, " busy with a get", UcxScene::getBusily));
            case ENDPOINT, ENDPOINT_FORCIBLY, ENDPOINT_ASYNC, ENDPOINT_AT_ONCE, WORKER, WORKER_ASYNC, WORKER_AT_ONCE ->
                Stream.of(close(closing, "", s -> {}), close(closing, " busy with a send", UcxScene::sendBusily));
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
