// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.testbed.TestDeadlines;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("device")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class VerbsBenchmarkTest {

    @Test
    void shouldRunEachBenchmark() throws Exception {
        BenchmarkRun.all(0, 3, VerbsBenchmark.class);
    }

    @Test
    void shouldRegisterEachSize() throws Exception {
        BenchmarkRun.all(0, 2 * 4, RegistrationBenchmark.class);
    }
}
