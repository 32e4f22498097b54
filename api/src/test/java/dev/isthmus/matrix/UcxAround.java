// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpConnectionRequest;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the program does while the handler is called in which a cell's part runs.
 *
 * @param name for people
 * @param closing what is closed; NOTHING for a call that only lets UCX progress
 * @param needsSockets whether there is this only with connections by socket address
 * @param calls which handlers are called meanwhile; others are called afterwards, and are no part of this
 * @param prepare creates what is needed
 * @param run does it
 */
record UcxAround(
        String name,
        UcxClosing closing,
        boolean needsSockets,
        Predicate<UcxPlace> calls,
        UcxClosing.Step prepare,
        UcxClosing.Step run) {

    private static final String REJECT = "reject";

    /** All of them. */
    static Stream<UcxAround> all() {
        return Stream.concat(progressing(), Stream.of(UcxClosing.values()).flatMap(UcxAround::closes));
    }

    boolean closes() {
        return closing != UcxClosing.NOTHING;
    }

    /** Whether it closes the socket of a client that asks for a connection. */
    boolean freesSocket() {
        return closing == UcxClosing.LISTENER || name.equals(REJECT);
    }

    private static Stream<UcxAround> progressing() {
        return Stream.of(
                call("progress", false, place -> true, s -> {}, s -> s.peers.turnMine()),
                call(
                        "await",
                        false,
                        place -> !place.needsLoop() && place != UcxPlace.WORKER_CLOSED,
                        s -> s.messages.request(),
                        s -> s.peers.mine.await(s.messages.request(), Duration.ofMillis(2))),
                call(
                        "createEndpoint",
                        false,
                        UcxPlace::isCallback,
                        s -> {},
                        s -> s.resources.add(s.peers.mine.createEndpoint(s.peers.theirs.address()))),
                call(
                        "createListener",
                        true,
                        UcxPlace::isCallback,
                        s -> {},
                        s -> s.resources.add(
                                s.peers.mine.createListener(UcxConnections.loopback(), UcpConnectionRequest::reject))),
                call(
                        REJECT,
                        true,
                        UcxPlace::isCallback,
                        s -> s.connections.undecided(),
                        s -> s.connections.undecided().reject()));
    }

    private static UcxAround call(
            String name,
            boolean needsSockets,
            Predicate<UcxPlace> calls,
            UcxClosing.Step prepare,
            UcxClosing.Step run) {
        return new UcxAround(name, UcxClosing.NOTHING, needsSockets, calls, prepare, run);
    }

    /**
     * The ways to close something during which handlers are called. A close that waits calls only what UCX itself calls;
     * that of a worker then ends the futures. While another goes on, the program progresses the worker, and gets
     * everything.
     */
    private static Stream<UcxAround> closes(UcxClosing closing) {
        Predicate<UcxPlace> callback = UcxPlace::isCallback;
        Predicate<UcxPlace> late = place -> place.isCallback() && !place.isAnswered();
        return switch (closing) {
            case ENDPOINT -> Stream.of(close(closing, late), busyClose(closing, callback));
            case WORKER ->
                Stream.of(
                        close(closing, late.or(UcxPlace::endsWithWorker)),
                        busyClose(closing, callback.or(UcxPlace::endsWithWorker)));
            case ENDPOINT_ASYNC -> Stream.of(longClose(closing, place -> place != UcxPlace.WORKER_CLOSED));
            case WORKER_ASYNC ->
                Stream.of(longClose(closing, place -> !place.holdsWorker() && place != UcxPlace.WORKER_CLOSED));
            case LISTENER, ACCEPTED_FORCIBLY -> Stream.of(close(closing, callback));
            case REMOTE -> Stream.of(close(closing, " busy with a get", callback, s -> s.memories.getBusily()));
            default -> Stream.empty(); // they progress no worker
        };
    }

    private static UcxAround close(UcxClosing closing, Predicate<UcxPlace> calls) {
        return close(closing, "", calls, s -> {});
    }

    private static UcxAround busyClose(UcxClosing closing, Predicate<UcxPlace> calls) {
        return close(closing, " busy with a send", calls, s -> s.traffic.sendBusily());
    }

    private static UcxAround longClose(UcxClosing closing, Predicate<UcxPlace> calls) {
        return close(closing, " until a send is received", calls, s -> s.traffic.sendUnreceived());
    }

    private static UcxAround close(UcxClosing closing, String how, Predicate<UcxPlace> calls, UcxClosing.Step busy) {
        return new UcxAround(
                "close of " + closing + how,
                closing,
                closing.needsSockets(),
                calls,
                s -> {
                    closing.prepare(s);
                    busy.on(s);
                },
                closing::close);
    }
}
