package dev.isthmus.safety;

import java.util.List;
import java.util.stream.Stream;

/**
 * One thing that a program may do.
 *
 * @param name for messages
 * @param weight how often, compared with the others
 * @param step does it, and may throw what is documented
 */
record Action(String name, int weight, Step step) {

    /** Does something with a worker's objects and numbers. */
    @FunctionalInterface
    interface Step {
        void run(Worker w) throws Exception;
    }

    /** All actions. */
    static List<Action> all() {
        return Stream.of(
                        ObjectActions.all(),
                        MemoryActions.all(),
                        QueueActions.all(),
                        PostActions.all(),
                        BatchActions.all(),
                        CmActions.all())
                .flatMap(List::stream)
                .toList();
    }

    static Action action(String name, int weight, Step step) {
        return new Action(name, weight, step);
    }
}
