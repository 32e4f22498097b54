// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * All public calls of UCX, where a program is most likely to make a mistake. {@link Matrix} says how to make all
 * cells.
 */
@Tag("ucx")
@Tag("host")
class UcxMatrixTest {

    private static final int CELLS = 100; // of each transport
    private static final int LOANS = 40;

    private static final Pattern NONE = Pattern.compile("(?!)");

    @Test
    void shouldHaveAnObjectAndArgumentsForEachCall() {
        assertEquals(List.of(), UcxCalls.RECIPES.missing(UcxCalls.all()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix,self", "sysv,self", "tcp,self"})
    void shouldAnswerEachCallInEachHandlerDuringEachClose(String tls) {
        new Matrix(UcxMatrixTest::jvm, UcxMatrixRun.class, NONE, "handlers", tls).run(CELLS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix,self", "sysv,self", "tcp,self"})
    void shouldKeepEachLoanDuringEachClose(String tls) {
        new Matrix(UcxMatrixTest::jvm, UcxMatrixRun.class, NONE, "loans", tls).run(LOANS);
    }

    /** In the testbed, the environment names an RDMA device. */
    private static ChildJvm jvm() {
        return new ChildJvm().under("env", "-u", "UCX_NET_DEVICES");
    }
}
