// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.LogListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Level;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Warns of completion queues that lose completions when all requests of their queue pairs complete. */
@Tag("device")
@Tag("connectx")
@Tag("iwarp")
class CapacityCheckTest {

    @AutoClose
    private final LogListener log = new LogListener("dev.isthmus", Level.INFO);

    private final List<String> warnings = log.messages();

    /** Creates queue pairs one after another, with all of them open. */
    private static void withQueuePairs(
            Consumer<CompletionQueueConfig> queue, int count, Consumer<QueuePairConfig> config) {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var completions = context.createCompletionQueue(50, queue)) {
            int each = completions.entries() / 4; // of sends, and of receives: two queue pairs fill it
            var made = new ArrayList<QueuePair>();
            for (int i = 0; i < count; i++) {
                made.add(pd.createQueuePair(QueuePairType.RC, completions, completions, it -> {
                    it.maxSendWr(each).maxRecvWr(each);
                    config.accept(it);
                }));
            }
            made.forEach(QueuePair::close);
            pd.createQueuePair(QueuePairType.RC, completions, completions, it -> it.maxSendWr(2 * each))
                    .close(); // there is room again
        }
    }

    @Test
    void shouldSayNothingWhileThereIsRoom() {
        withQueuePairs(it -> {}, 2, it -> {});
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldWarnOnce() {
        withQueuePairs(it -> {}, 4, it -> {});
        assertEquals(1, warnings.size(), warnings.toString());
        assertTrue(warnings.getFirst().contains("sizeUnchecked"), warnings.getFirst());
        assertTrue(
                warnings.getFirst()
                        .startsWith("CompletionQueue(" + Device.first().name()),
                warnings.getFirst());
    }

    @Test
    void shouldSayNothingIfToldSo() {
        withQueuePairs(CompletionQueueConfig::sizeUnchecked, 4, it -> {});
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldNotCountDefaultSizes() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var completions = context.createCompletionQueue(4);
                var _ = pd.createQueuePair(QueuePairType.RC, completions, completions)) {
            assertEquals(List.of(), warnings);
        }
    }
}
