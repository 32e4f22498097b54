// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class UcxParametersTest {

    private static final int THREAD_MODE = 12;

    private static byte[] encode(UcxPlan plan) {
        return UcxParameters.encode(plan, UcxLayout.V1_13);
    }

    private static UcxPlan decode(byte[] bytes) {
        int end = UcxLayout.of(bytes).bytes;
        byte[] struct = Arrays.copyOf(bytes, end);
        byte[] sizes = Arrays.copyOfRange(bytes, end, bytes.length);
        assertEquals(sizes.length, UcxParameters.parts(struct) * Long.BYTES);
        return UcxParameters.decode(struct, sizes);
    }

    @Test
    void shouldCarryEveryTest() {
        for (UcxTest test : UcxTest.values()) {
            UcxPlan plan = UcxPlans.of("-t " + test.title() + " -n 77 -w 5 -R 99.5 host");
            for (UcxLayout layout : UcxLayout.values()) {
                byte[] bytes = UcxParameters.encode(plan, layout);
                assertEquals(layout, UcxLayout.of(bytes));
                assertEquals(plan, decode(bytes));
            }
        }
    }

    @Test
    void shouldCarryEveryOption() {
        UcxPlan plan = UcxPlans.of("-t tag_bw -s 16,48,1 -i 64 -O 9 -D iov,iov -C -U -e -I -o -B host");
        assertEquals(plan, decode(encode(plan)));
        assertEquals(65, plan.bytes());
        assertEquals(192, plan.span());
        plan = UcxPlans.of("-t ucp_am_lat -H 24 host");
        assertEquals(24, decode(encode(plan)).header());
        plan = UcxPlans.of("-t stream_bw -r recv_data host");
        assertTrue(decode(encode(plan)).has(UcxPlan.STREAM_RECEIVE_DATA));
    }

    @Test
    void shouldUseTheDefaultsOfC() {
        UcxPlan plan = UcxPlans.of("-t tag_bw host");
        assertEquals(List.of(8L), plan.sizes());
        assertEquals(1_000_000, plan.iterations());
        assertEquals(10_000, plan.warmUp());
        assertEquals(32, plan.window());
        assertEquals(1, UcxPlans.of("-t tag_lat host").window());
    }

    /** C sends 0 when no window was asked for. */
    @Test
    void shouldFillInTheWindowThatCLeavesOpen() {
        byte[] bytes = encode(UcxPlans.of("-t tag_bw host"));
        Arrays.fill(bytes, 72, 76, (byte) 0);
        assertEquals(32, decode(bytes).window());
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        for (String line : List.of(
                "-t tag_lat -s -1 h",
                "-t ucp_add -s 5 h",
                "-t ucp_put_lat -s 0 h",
                "-t ucp_put_lat -D iov h",
                "-t tag_lat -O 100000 h",
                "-t tag_lat -R 101 h",
                "-t am_lat h",
                "-t tag_lat -D short h",
                "-t stream_lat -r some h",
                "-t tag_lat -s 100 -i 50 h")) {
            assertThrows(IllegalArgumentException.class, () -> UcxPlans.of(line), line);
        }
    }

    @Test
    void shouldTakeTheFlagsOfWhatThereIsOneKindOfWithThatKindAlone() {
        UcxPlans.options("-t tag_lat -T 1 -M single -E poll -m host,host h").check();
        UcxPlans.options("--listen 127.0.0.1").check();
        for (String flags : List.of("-T 2", "-M multi", "-E sleep", "-m cuda", "-m host,cuda", "--listen 127.0.0.1")) {
            UcxOptions options = UcxPlans.options("-t tag_lat " + flags + " h");
            assertThrows(IllegalArgumentException.class, options::check, flags);
        }
    }

    @Test
    void shouldServeAClientWhoseWorkerIsSerialized() {
        byte[] bytes = encode(UcxPlans.of("-t tag_lat host"));
        bytes[THREAD_MODE] = 1;
        assertEquals(UcxTest.TAG_LAT, decode(bytes).test());
        bytes[THREAD_MODE] = 2;
        assertThrows(IllegalArgumentException.class, () -> decode(bytes));
    }

    @Test
    void shouldListenWhereItIsToldTo() {
        assertEquals("0.0.0.0", UcxPlans.options("-p 5").listenAt().getHostString());
        assertEquals(
                "127.0.0.1", UcxPlans.options("--listen 127.0.0.1").listenAt().getHostString());
        assertEquals(5, UcxPlans.options("-p 5").listenAt().getPort());
    }

    @Test
    void shouldSurviveGarbage() {
        var random = new Random(5);
        byte[] good = encode(UcxPlans.of("-t tag_lat host"));
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = good.clone();
            for (int changes = random.nextInt(1, 9); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                byte[] struct = Arrays.copyOf(bytes, UcxLayout.V1_13.bytes);
                if (UcxParameters.parts(struct) == 1) {
                    assertTrue(decode(bytes).bytes() >= 0);
                }
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage() != null);
            }
        }
    }

    @Test
    void shouldCarryAnIntroduction() {
        var one = new EndpointInfo(new byte[] {1, 2, 3}, new byte[] {4}, 0x1234_5678_9abcL);
        EndpointInfo other = EndpointInfo.decode(one.encode());
        assertArrayEquals(one.address(), other.address());
        assertArrayEquals(one.key(), other.key());
        assertEquals(one.memory(), other.memory());
        byte[] bytes = one.encode();
        assertThrows(IllegalArgumentException.class, () -> EndpointInfo.decode(Arrays.copyOf(bytes, 39)));
        assertThrows(IllegalArgumentException.class, () -> EndpointInfo.decode(Arrays.copyOf(bytes, 43)));
        bytes[7] = (byte) 0x80;
        assertThrows(IllegalArgumentException.class, () -> EndpointInfo.decode(bytes));
    }
}
