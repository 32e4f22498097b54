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

    /** UCX takes an event of a closed socket for one of the next socket with that number: docs/ucx-faults.md. */
    private static final Pattern EVENT_OF_A_CLOSED_SOCKET =
            Pattern.compile("(?:async\\.c:643|tcp_sockcm_ep\\.c:(?:416|552)|tcp_ep\\.c:939) .*Assertion.*");

    @Test
    void shouldHaveAnObjectAndArgumentsForEachCall() {
        assertEquals(List.of(), UcxCalls.RECIPES.missing(UcxCalls.all()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix,self", "sysv,self", "tcp,self"})
    void shouldAnswerEachCallInEachHandlerDuringEachClose(String tls) {
        new Matrix(UcxMatrixTest::jvm, UcxMatrixRun.class, "handlers", tls)
                .knownFault(EVENT_OF_A_CLOSED_SOCKET)
                .run(CELLS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix,self", "sysv,self", "tcp,self"})
    void shouldKeepEachLoanDuringEachClose(String tls) {
        new Matrix(UcxMatrixTest::jvm, UcxMatrixRun.class, "loans", tls)
                .knownFault(EVENT_OF_A_CLOSED_SOCKET)
                .run(LOANS);
    }

    /** In the testbed, the environment names an RDMA device. */
    private static ChildJvm jvm() {
        return new ChildJvm().under("env", "-u", "UCX_NET_DEVICES");
    }
}
