// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link ScatterToCompletionTest}, with regions that Soft-RoCE of newer kernels refuses. */
@Tag("connectx")
class ScatterToZeroBasedRegionTest {

    @ParameterizedTest
    @ValueSource(strings = {"receive", "read", "atomic"})
    void shouldPutDataIntoZeroBasedRegion(String what) {
        ScatterToCompletionTest.assertCopiedByPoll(what + ScatterToCompletionTest.ZERO_BASED);
    }
}
