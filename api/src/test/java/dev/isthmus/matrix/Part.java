// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.safety.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The program's part of a cell: a call, once.
 *
 * @param <S> what has the objects of the call
 */
final class Part<S> implements Runnable {

    private final Recipes.Attempt<S> attempt;
    private final S scene;
    private final Set<Reason> allowed;
    private final BiConsumer<Call, Object> returned;
    private final List<String> faults = new ArrayList<>();
    private boolean ran;

    /**
     * A part.
     *
     * @param allowed why the call may be refused
     * @param returned takes what the call returns
     */
    Part(Recipes.Attempt<S> attempt, S scene, Set<Reason> allowed, BiConsumer<Call, Object> returned) {
        this.attempt = attempt;
        this.scene = scene;
        this.allowed = allowed;
        this.returned = returned;
    }

    boolean hasRun() {
        return ran;
    }

    @Override
    public void run() {
        if (ran) {
            return;
        }
        ran = true;
        boolean interrupts = waitsForEver();
        try {
            if (interrupts) {
                Thread.currentThread().interrupt();
            }
            returned.accept(attempt.call(), attempt.make(scene));
            System.out.println("DONE");
        } catch (Throwable t) {
            System.out.println("REFUSED " + t);
            String wrong = t instanceof InterruptedException ? null : Judge.wrong(t, allowed);
            if (wrong != null) {
                faults.add(wrong + ": " + MatrixRun.trace(t));
            }
        } finally {
            boolean _ = interrupts && Thread.interrupted();
        }
    }

    /** Whether only an event, or an interrupt, ends the call. */
    private boolean waitsForEver() {
        var executable = attempt.call().executable();
        return List.of(executable.getExceptionTypes()).contains(InterruptedException.class)
                && !List.of(executable.getParameterTypes()).contains(Duration.class);
    }

    /** Throws what was wrong with the call's answer, and with the rest of the cell. */
    void judge(List<String> rest) {
        faults.addAll(rest);
        if (!faults.isEmpty()) {
            throw new AssertionError(String.join("\n", faults));
        }
    }
}
