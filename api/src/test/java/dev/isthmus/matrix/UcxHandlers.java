// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.safety.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The matrix of all calls, in all handlers, during all closes. */
final class UcxHandlers {

    private static final int MOST_TURNS = 2000; // until a handler has run

    /** What a cell does, but for the call. */
    private record Situation(
            String name,
            boolean needsSockets,
            boolean isLooped,
            boolean closes,
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
                .forEach(attempt -> situations.forEach(situation -> matrix.add(attempt, situation)));
        return matrix.cells;
    }

    private static Stream<Situation> situations() {
        return Stream.of(UcxPlace.values())
                .flatMap(place -> Stream.of(
                                UcxAround.all().flatMap(around -> during(place, around)),
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
                        around.closes() || place == UcxPlace.ENDPOINT_CLOSED || place == UcxPlace.ERROR,
                        (s, inside) -> {
                            around.prepare().on(s);
                            place.arrange(s, inside);
                        },
                        around.run()));
    }

    /** A call in a handler that has closed something before. */
    private static Situation after(UcxPlace place, UcxClosing closing) {
        return new Situation(
                place + " after close of " + closing,
                place.needsSockets() || closing.needsSockets(),
                place.needsLoop(),
                true,
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
        var scene = new UcxScene(shared, situation.isLooped, number);
        var part = new Part<>(attempt, scene, situation.closes ? Judge.ANY : Judge.OPEN, scene::returned);
        if (prepared(scene, attempt, situation, part)) {
            boolean early = part.hasRun();
            scene.peers.pumpPeer();
            scene.faults.lenient(() -> situation.run.on(scene));
            String when = early ? "before" : part.hasRun() ? "inside" : "later";
            for (int i = 0; i < MOST_TURNS && !part.hasRun(); i++) {
                scene.peers.turn();
            }
            System.out.println(part.hasRun() ? "RAN " + when : "NEVER RAN");
        }
        part.judge(scene.finish(situation.closes));
    }

    /** Whether there can be this call in this situation. */
    private static boolean prepared(
            UcxScene scene, Recipes.Attempt<UcxScene> attempt, Situation situation, Runnable inside) {
        try {
            attempt.prepare(scene);
            scene.peers.rest();
            situation.prepare.prepare(scene, inside);
            return true;
        } catch (RdmaUnavailableException e) {
            System.out.println("SKIPPED " + e);
        } catch (IllegalStateException e) {
            if (Reason.of(e) != Reason.IN_USE) {
                throw e;
            }
            System.out.println("SKIPPED " + e);
        }
        return false;
    }
}
