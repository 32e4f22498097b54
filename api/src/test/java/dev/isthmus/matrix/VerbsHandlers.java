// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.util.AbstractList;
import java.util.List;

/** The matrix of all calls of verbs and cm, in all handlers, after all closes. */
final class VerbsHandlers {

    private static final VerbsPlace[] PLACES = VerbsPlace.values();
    private static final VerbsClosing[] CLOSINGS = VerbsClosing.values();
    private static final int SITUATIONS = PLACES.length * CLOSINGS.length;

    private VerbsHandlers() {}

    /** About a million, so that each is made when it is asked for. */
    static List<Cell> all() {
        List<Recipes.Attempt<VerbsScene>> attempts = VerbsCalls.all().stream()
                .flatMap(call -> VerbsCalls.RECIPES.attempts(call).stream())
                .toList();
        return new AbstractList<>() {
            @Override
            public Cell get(int index) {
                int situation = index % SITUATIONS;
                return cell(
                        attempts.get(index / SITUATIONS),
                        PLACES[situation / CLOSINGS.length],
                        CLOSINGS[situation % CLOSINGS.length]);
            }

            @Override
            public int size() {
                return attempts.size() * SITUATIONS;
            }
        };
    }

    private static Cell cell(Recipes.Attempt<VerbsScene> attempt, VerbsPlace place, VerbsClosing closing) {
        String after = closing == VerbsClosing.NOTHING ? "" : " after close of " + closing;
        return new Cell(attempt + " in " + place + after, () -> make(attempt, place, closing));
    }

    private static void make(Recipes.Attempt<VerbsScene> attempt, VerbsPlace place, VerbsClosing closing) {
        var scene = new VerbsScene();
        boolean closes = place.closes() || closing != VerbsClosing.NOTHING;
        var part = new Part<>(attempt, scene, closes ? Judge.ANY : Judge.OPEN, scene::returned);
        try {
            attempt.prepare(scene);
            closing.prepare(scene);
            Runnable inside = () -> {
                if (!part.hasRun()) {
                    closing.close(scene);
                    part.run();
                }
            };
            place.run(scene, inside, part::hasRun);
            System.out.println(part.hasRun() ? "RAN" : "NEVER RAN");
        } catch (RuntimeException | AssertionError e) {
            scene.impossible(e);
        }
        part.judge(scene.finish());
    }
}
