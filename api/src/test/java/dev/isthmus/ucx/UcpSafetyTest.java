package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Any order of calls, on any thread, gives success or a documented exception: never a dead or hanging JVM.
 * ISTHMUS_FUZZ_SECONDS says for how long, ISTHMUS_FUZZ_SEED with what seed.
 */
@Tag("ucx")
@Tag("host")
class UcpSafetyTest {

    private static final int SIGABRT = 128 + 6; // as a shell and an assertion of UCX's have it
    private static final int CLOSING_SECONDS = 240; // and for the least number of actions
    private static final Pattern ACTIONS = Pattern.compile("done (\\d+) refused (\\d+)");
    private static final long LEAST = 100;

    /**
     * UCX takes an event of a closed socket for that of a new one, or answers an atomic on an endpoint that has failed;
     * docs/ucx-faults.md has these.
     */
    private static final Pattern SOCKET_FAULT = Pattern.compile(
            "(async\\.c:643|tcp_sockcm_ep\\.c:416|tcp_ep\\.c:939) .*Assertion.*|ucp_request\\.inl:346 .*Endpoint timeout");

    private static final int RUNS_WITH_SOCKET_FAULT = 3;

    @Test
    void shouldSurviveAnyOrderOfCallsWithWorkerAddresses() {
        run("posix,self", false);
    }

    @Test
    @Tag("system-ucx") // 1.22.0 waits for ever when peers fail while others are closed: docs/ucx-faults.md
    void shouldSurviveAnyOrderOfCallsWithSocketAddresses() {
        run("tcp,self", true);
    }

    private static void run(String tls, boolean sockets) {
        String seconds = System.getenv().getOrDefault("ISTHMUS_FUZZ_SECONDS", "12");
        long seed = Long.parseLong(System.getenv().getOrDefault("ISTHMUS_FUZZ_SEED", "1"));
        ChildJvm.Result result = run(tls, seconds, seed, sockets);
        for (int runs = 1; sockets && runs < RUNS_WITH_SOCKET_FAULT && result.status() == SIGABRT; runs++) {
            Matcher fault = SOCKET_FAULT.matcher(result.output());
            if (!fault.find()) {
                break;
            }
            System.out.printf("ISTHMUS_FUZZ_SEED=%d met UCX's own fault %s; the next seed%n", seed, fault.group());
            result = run(tls, seconds, ++seed, sockets);
        }
        String seen = "ISTHMUS_FUZZ_SEED=" + seed + "\n" + result.output();
        assertEquals(0, result.status(), seen);
        Matcher actions = ACTIONS.matcher(seen);
        assertTrue(actions.find(), seen);
        assertTrue(Long.parseLong(actions.group(1)) > LEAST, seen);
        assertTrue(Long.parseLong(actions.group(2)) > LEAST, seen);
    }

    private static ChildJvm.Result run(String tls, String seconds, long seed, boolean sockets) {
        return new ChildJvm()
                .under("env", "-u", "UCX_NET_DEVICES", "UCX_LOG_LEVEL=fatal") // the testbed names an RDMA device
                .options("--enable-native-access=ALL-UNNAMED", "-XX:+ErrorFileToStdout", "-ea")
                .deadline(Duration.ofSeconds(Integer.parseInt(seconds) + CLOSING_SECONDS))
                .run(
                        UcpSafetyRun.class,
                        tls,
                        seconds,
                        Long.toString(seed),
                        Boolean.toString(sockets),
                        Long.toString(LEAST));
    }
}
