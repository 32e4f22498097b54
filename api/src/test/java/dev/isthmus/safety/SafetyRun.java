// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The child of {@link SafetyTest}: verbs and cm. Arguments: actions, seed. */
final class SafetyRun {

    private static final int WORKERS = 3;
    private static final int FOREIGN = 8;

    private SafetyRun() {}

    public static void main(String[] args) throws Exception {
        boolean connections = CmActions.exist();
        if (connections) {
            CmActions.warmUp();
        }
        String before = KernelResources.now();
        var groups = new GroupActions();
        List<Action> all = Stream.of(
                        ObjectActions.all(),
                        MemoryActions.all(),
                        QueueActions.all(),
                        PostActions.all(),
                        BatchActions.all(),
                        new VerbsPools().all(),
                        connections ? CmActions.all() : List.<Action>of(),
                        connections ? LoopActions.all() : List.<Action>of(),
                        connections ? groups.all() : List.<Action>of())
                .flatMap(List::stream)
                .toList();
        Action first = Action.action("first working set", 1, QueueActions::workingSet);
        var engine = new Engine(WORKERS, FOREIGN, Fuzz.Settings.of(args), first, all);
        engine.play(engine::generations);
        engine.finish(() -> {
            groups.closeAll(engine);
            engine.world.open(AutoCloseable.class).forEach(thing -> end(thing.object));
        });
        String after = KernelResources.await(before);
        if (!after.equals(before)) {
            engine.fault("the kernel's resources were\n" + before + "and are\n" + after);
        }
        engine.exit();
    }

    /** A thread may have ended amid a poll or a batch, which its successor then has to end. */
    private static void end(Object object) {
        try {
            switch (object) {
                case ExtendedCompletionQueue queue -> queue.endPoll();
                case QueuePair qp -> qp.sendBatch().abort();
                default -> {}
            }
        } catch (IllegalStateException e) {
            Objects.requireNonNull(e.getMessage(), "there is none, as most often");
        }
    }
}
