// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.testbed.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Any order of calls of verbs and cm, on any thread, with any values. A model of the objects says how each call may
 * end, by success or by certain exceptions, but never by a dead or hanging JVM. {@link Fuzz} says how to run more, or
 * to repeat a run.
 */
@Tag("device")
@Tag("connectx")
class SafetyTest {

    private static final long ACTIONS = 6000;
    private static final long ACTIONS_OF_A_JVM = 100_000;

    @Test
    void shouldSurviveAnyOrderOfCallsWithAnyValues() {
        new Fuzz(ChildJvm::new, SafetyRun.class, ACTIONS, ACTIONS_OF_A_JVM).run();
    }
}
