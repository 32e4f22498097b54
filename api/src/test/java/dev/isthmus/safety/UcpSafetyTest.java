// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.testbed.ChildJvm;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Any order of calls of UCX, on any thread. A model of the objects says how each call may end, by success or by certain
 * exceptions, but never by a dead or hanging JVM. {@link Fuzz} says how to run more, or to repeat a run.
 */
@Tag("ucx")
@Tag("host")
class UcpSafetyTest {

    private static final long ACTIONS = 40_000;
    private static final long ACTIONS_OF_A_JVM = 20_000;

    /**
     * UCX takes an event of a closed socket for that of a new one, answers an atomic on an endpoint that has failed,
     * gets an acknowledgement for which it does not wait, frees an endpoint whose request it keeps, or packs a message
     * that has ended.
     * docs/ucx-faults.md has these, and how often they occur.
     */
    private static final Pattern SOCKET_FAULT = Pattern.compile(
            "(async\\.c:643|ucp_ep\\.c:437|ucp_am\\.c:466|tcp_sockcm_ep\\.c:(?:416|552)|tcp_ep\\.c:(?:939|1021)|ucp_request\\.inl:(?:346|319)) "
                    + ".*(Assertion|Endpoint timeout).*");

    private static final double SOCKET_FAULTS_OF_A_MILLION = 20;

    @Test
    void shouldSurviveAnyOrderOfCallsWithWorkerAddresses() {
        runs("posix,self", false).run();
    }

    @Test
    @Tag("system-ucx") // 1.22.0 waits for ever when peers fail while others are closed: docs/ucx-faults.md
    void shouldSurviveAnyOrderOfCallsWithSocketAddresses() {
        runs("tcp,self", true)
                .knownFault(SOCKET_FAULT, SOCKET_FAULTS_OF_A_MILLION)
                .run();
    }

    private static Fuzz runs(String tls, boolean sockets) {
        return new Fuzz(
                UcpSafetyTest::jvm, UcpSafetyRun.class, ACTIONS, ACTIONS_OF_A_JVM, tls, Boolean.toString(sockets));
    }

    /** In the testbed, the environment names an RDMA device. */
    private static ChildJvm jvm() {
        return new ChildJvm().under("env", "-u", "UCX_NET_DEVICES", "UCX_LOG_LEVEL=fatal");
    }
}
