// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.RdmaException;
import dev.isthmus.safety.Reason;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.ucx.UcxVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The matrix of all calls, in all handlers, during all closes. */
final class UcxHandlers {

    private static final int MOST_TURNS = 2000; // until a handler has run

    /** A close may take this long that goes on until the handler has run. */
    private static final Duration LONG_CLOSE = TestDeadlines.ofSeconds(2);

    /**
     * What a cell does, but for the call.
     *
     * @param closes whether something may be closed, so that the call may be refused for that
     * @param during what is being closed while the handler runs; NOTHING if it need not be
     * @param freesSocket whether the socket of a client that asks for a connection has been closed when the call is made
     */
    private record Situation(
            String name,
            boolean needsSockets,
            boolean isLooped,
            boolean closes,
            UcxClosing during,
            boolean freesSocket,
            Preparation prepare,
            UcxClosing.Step run) {}

    @FunctionalInterface
    private interface Preparation {
        void prepare(UcxScene scene, Runnable inside);
    }

    private final UcxScene.Shared shared;
    private final List<Cell> cells = new ArrayList<>();

    private UcxHandlers(UcxScene.Shared shared) {
        this.shared = shared;
    }

    static List<Cell> all(UcxScene.Shared shared) {
        var matrix = new UcxHandlers(shared);
        List<Situation> situations = situations()
                .filter(situation -> shared.hasSockets() || !situation.needsSockets)
                .toList();
        UcxCalls.all().stream()
                .filter(call -> shared.hasSockets() || !UcxCalls.needsSockets(call))
                .flatMap(call -> UcxCalls.RECIPES.attempts(call).stream())
                .forEach(attempt -> situations.stream()
                        .filter(situation -> isPossible(attempt.call(), situation))
                        .forEach(situation -> matrix.add(attempt, situation)));
        return matrix.cells;
    }

    /**
     * Whether what the call needs lets the situation's close succeed, and UCX survives both: before 1.18 it takes an event of
     * the closed socket for one of the next socket with that number, as docs/ucx-faults.md says, which here is the call's.
     */
    private static boolean isPossible(Call call, Situation situation) {
        boolean endpointStays = UcxCalls.holdsEndpoint(call) && situation.during.closesEndpoints();
        boolean workerStays = UcxCalls.needsSockets(call) && situation.during == UcxClosing.WORKER; // it has a listener
        boolean isFatal = situation.freesSocket
                && UcxCalls.opensSocket(call)
                && UcxVersion.loaded().minor() < 18;
        return !endpointStays && !workerStays && !isFatal;
    }

    private static Stream<Situation> situations() {
        return Stream.of(UcxPlace.values())
                .flatMap(place -> Stream.of(
                                UcxAround.all()
                                        .filter(around -> around.calls().test(place))
                                        .flatMap(around -> during(place, around)),
                                Stream.of(UcxClosing.values())
                                        .filter(closing -> closing != UcxClosing.NOTHING)
                                        .map(closing -> after(place, closing)))
                        .flatMap(all -> all));
    }

    /** A call in a handler that runs while something is done, perhaps on a worker of a loop. */
    private static Stream<Situation> during(UcxPlace place, UcxAround around) {
        return (place.needsLoop() ? Stream.of(true) : Stream.of(false, true))
                .map(isLooped -> new Situation(
                        place + (isLooped ? " on a loop" : "") + " during " + around.name(),
                        place.needsSockets() || around.needsSockets(),
                        isLooped,
                        around.closes() || place.closes(),
                        around.closing(),
                        around.freesSocket(),
                        (s, inside) -> {
                            around.prepare().on(s);
                            place.arrange(s, inside);
                        },
                        around.run()));
    }

    /** A call in a handler that has closed something before, or has been refused to. */
    private static Situation after(UcxPlace place, UcxClosing closing) {
        return new Situation(
                place + " after calling close of " + closing,
                place.needsSockets() || closing.needsSockets(),
                place.needsLoop(),
                true,
                UcxClosing.NOTHING,
                closing == UcxClosing.LISTENER,
                (s, inside) -> {
                    closing.prepare(s);
                    place.arrange(s, () -> {
                        closing.close(s);
                        inside.run();
                    });
                },
                s -> s.peers.turnMine());
    }

    private void add(Recipes.Attempt<UcxScene> attempt, Situation situation) {
        int number = cells.size();
        cells.add(new Cell(attempt + " in " + situation.name, () -> make(attempt, situation, number)));
    }

    private void make(Recipes.Attempt<UcxScene> attempt, Situation situation, int number) {
        boolean isAsync = situation.during.isAsync();
        var scene = new UcxScene(shared, situation.isLooped, isAsync ? LONG_CLOSE : UcxScene.SHORT_CLOSE, number);
        var part = new Part<>(attempt, scene, situation.closes ? Judge.ANY : Judge.OPEN, scene::returned);
        boolean[] inClose = {false};
        Runnable inside = () -> {
            inClose[0] |= !part.hasRun() && scene.closes.areGoingOn();
            part.run();
        };
        List<String> faults = new ArrayList<>();
        if (prepared(scene, attempt, situation, inside)) {
            run(scene, situation, part, isAsync);
            System.out.println(part.hasRun() ? inClose[0] ? "RAN during a close" : "RAN" : "NEVER RAN");
            if (situation.during != UcxClosing.NOTHING && !inClose[0]) {
                faults.add("it ran " + (part.hasRun() ? "after" : "neither during nor after") + " the close");
            }
        }
        faults.addAll(scene.finish(situation.closes));
        part.judge(faults);
    }

    private static void run(UcxScene scene, Situation situation, Part<UcxScene> part, boolean isAsync) {
        scene.peers.pumpPeer();
        scene.faults.lenient(() -> situation.run.on(scene));
        if (isAsync) {
            while (!part.hasRun() && scene.closes.areGoingOn()) { // for LONG_CLOSE at most
                scene.peers.turn();
            }
            scene.faults.lenient(scene.traffic::receiveUnreceived);
        }
        for (int i = 0; i < MOST_TURNS && !part.hasRun(); i++) {
            scene.peers.turn();
        }
    }

    /** Whether there can be this call in this situation. */
    private static boolean prepared(
            UcxScene scene, Recipes.Attempt<UcxScene> attempt, Situation situation, Runnable inside) {
        try {
            attempt.prepare(scene);
            scene.peers.rest();
            situation.prepare.prepare(scene, inside);
            return true;
        } catch (RdmaException | IllegalStateException e) {
            if (!Judge.isLacking(e) && Reason.of(e) != Reason.IN_USE) {
                throw e;
            }
            System.out.println("SKIPPED " + e);
        }
        return false;
    }
}
