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
        // An rdma_destroy_id that does not return is not understood yet: those run when they are asked for.
        var connections = System.getenv("ISTHMUS_FUZZ_CM") == null ? List.<Action>of() : CmActions.all();
        return Stream.of(
                        ObjectActions.all(),
                        MemoryActions.all(),
                        QueueActions.all(),
                        PostActions.all(),
                        BatchActions.all(),
                        connections)
                .flatMap(List::stream)
                .toList();
    }

    static Action action(String name, int weight, Step step) {
        return new Action(name, weight, step);
    }
}
