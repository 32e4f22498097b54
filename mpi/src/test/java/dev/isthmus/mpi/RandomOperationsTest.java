// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.testbed.TierRunner;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random messages between three ranks, whose contents and matching are checked: see {@link RandomBatch}. */
@Tag("mpi")
@Ranks(value = 3, seconds = 600)
class RandomOperationsTest {

    private static final long SEED = Long.getLong("isthmus.test.seed", 20_261_128);

    private final Communicator world = RanksMain.world();

    @Test
    void shouldMatchAsTheStandardSays() {
        run(20_000);
    }

    @Test
    @Tag(TierRunner.EXTENDED)
    @Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
    void shouldMatchManyTimes() {
        run(Integer.getInteger("isthmus.test.operations", 200_000));
    }

    /** So many messages. The same seed gives the same messages and receives, but their times are not the same. */
    private void run(int operations) {
        var seeds = new Random(SEED);
        int done = 0;
        try (GuardedArena arena = GuardedArena.ofConfined();
                RandomBatch batch = new RandomBatch(world, arena)) {
            while (done < operations) {
                long seed = seeds.nextLong();
                try {
                    done += batch.run(seed);
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("after " + done + " messages, in the batch of seed " + seed, e);
                }
            }
        }
        assertEquals(0, done % RandomBatch.MESSAGES);
    }
}
