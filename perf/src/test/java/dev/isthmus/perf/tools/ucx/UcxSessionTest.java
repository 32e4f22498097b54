// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.tools.PerftestException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("ucx")
@Tag("host")
class UcxSessionTest {

    private static void runs(String line, String transports) throws Exception {
        UcxResult result = UcxSessions.run(UcxPlans.of(line + " host"), UcxSessions.java(transports));
        assertEquals(100, result.iterations(), line);
        assertTrue(result.latency() > 0 && result.percentile() > 0, line);
    }

    @Test
    void shouldRunEveryTestOverSharedMemory() throws Exception {
        for (UcxTest test : UcxTest.values()) {
            runs("-t " + test.title() + " -n 100 -w 10", "posix,self");
        }
    }

    @Test
    void shouldRunEveryTestOverTcp() throws Exception {
        for (UcxTest test : UcxTest.values()) {
            runs("-t " + test.title() + " -n 100 -w 3", "tcp,self");
        }
    }

    @Test
    void shouldRunLongMessages() throws Exception {
        for (String transports : List.of("posix,self", "tcp,self")) {
            for (String test : List.of(
                    "tag_bw", "tag_sync_lat", "stream_bw", "ucp_am_lat", "ucp_am_bw", "ucp_put_bw", "ucp_get")) {
                runs("-t " + test + " -s 300000 -n 100 -w 3", transports);
            }
        }
    }

    @Test
    void shouldRunEveryOption() throws Exception {
        for (String line : List.of(
                "-t tag_lat -D iov,iov -s 16,48,1 -i 64",
                "-t tag_bw -D iov -s 16,48 -O 3",
                "-t tag_bw -C",
                "-t tag_lat -U -C",
                "-t stream_bw -r recv_data -s 1000",
                "-t stream_lat -r recv_data",
                "-t stream_bw -D iov,iov -s 16,48",
                "-t ucp_am_lat -H 24",
                "-t ucp_am_bw -D iov -s 16,48",
                "-t ucp_put_lat -o -B",
                "-t ucp_cswap -s 4 -O 8",
                "-t ucp_fadd -s 4",
                "-t tag_lat -I -s 0")) {
            runs(line + " -n 100 -w 3", "posix,self");
        }
        runs("-t tag_lat -e -n 100 -w 3", "tcp,self");
    }

    private static PerftestException refused(UcxSessions.Part<?> client) {
        var failure = assertThrows(
                ExecutionException.class,
                () -> UcxSessions.run(
                        link -> {
                            UcxSession.serve(
                                    link, UcxSessions.java("posix,self"), UcxSession.SessionListener.NO_LISTENER);
                            return 0;
                        },
                        client));
        return (PerftestException) failure.getCause();
    }

    private static final UcxPlan PLAN = UcxPlans.of("-t ucp_put_lat -n 100 host");

    @Test
    void shouldRefuseGarbageInOneLine() {
        byte[] garbage = new byte[2000];
        Arrays.fill(garbage, (byte) 'x');
        PerftestException e = refused(link -> {
            link.send(garbage);
            return 0;
        });
        assertTrue(e.getMessage().contains("asks for something impossible"), e.getMessage());
    }

    @Test
    void shouldRefuseAnIntroductionThatLies() {
        PerftestException e = refused(link -> {
            link.send(UcxParameters.encode(PLAN, UcxLayout.V1_13));
            link.sendSized(new byte[64]);
            return link.receiveSized(EndpointInfo.MAX_BYTES);
        });
        assertTrue(e.getMessage().contains("cannot connect"), e.getMessage());
        e = refused(link -> {
            link.send(UcxParameters.encode(PLAN, UcxLayout.V1_13));
            link.send(new byte[] {0, 0, 0, 0, 0, 0, 0, 1});
            return link.receiveSized(EndpointInfo.MAX_BYTES);
        });
        assertTrue(e.getMessage().contains("announces"), e.getMessage());
    }

    @Test
    void shouldNoticeAPeerThatGoes() {
        PerftestException e = refused(link -> {
            link.send(Arrays.copyOf(UcxParameters.encode(PLAN, UcxLayout.V1_13), 100));
            return 0;
        });
        assertTrue(e.getMessage().contains("has ended"), e.getMessage());
        // In the midst of a run: after the first barrier there is nothing but the peer's end.
        e = refused(link -> {
            link.send(UcxParameters.encode(PLAN, UcxLayout.V1_13));
            EndpointInfo theirs = EndpointInfo.decode(link.receiveSized(EndpointInfo.MAX_BYTES));
            try (var end = new JavaEnd(PLAN, false, link, Map.of("TLS", "posix,self"))) {
                link.sendSized(end.introduction().encode());
                end.connect(theirs);
                link.exchangeStatus(0);
                link.barrier(end::progress, true);
            }
            return 0;
        });
        assertTrue(e.getMessage().contains("ended") || e.getMessage().contains("gone"), e.getMessage());
    }

    /** A server of one-sided tests has nothing to do but to notice that. */
    @ParameterizedTest
    @ValueSource(
            strings = {"ucp_put_bw", "ucp_put_bw -o", "ucp_put_lat -o", "ucp_get", "ucp_get -o", "ucp_add", "tag_bw"})
    void shouldNoticeAPeerThatGoesInTheMidstOfARunWithoutEnd(String test) {
        UcxPlan plan = UcxPlans.of("-t " + test + " -n 0 -w 0 host");
        PerftestException e = refused(link -> {
            link.send(UcxParameters.encode(plan, UcxLayout.V1_13));
            EndpointInfo theirs = EndpointInfo.decode(link.receiveSized(EndpointInfo.MAX_BYTES));
            try (var end = new JavaEnd(plan, false, link, Map.of("TLS", "posix,self"))) {
                link.sendSized(end.introduction().encode());
                end.connect(theirs);
                link.exchangeStatus(0);
                end.loop().begin();
                link.barrier(end::progress, true);
            }
            return 0;
        });
        assertTrue(e.getMessage().contains("ended") || e.getMessage().contains("gone"), e.getMessage());
    }

    @Test
    void shouldSayThatThereIsNoServer() {
        var nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertThrows(PerftestException.class, () -> UcxLink.connect(nobody));
    }
}
