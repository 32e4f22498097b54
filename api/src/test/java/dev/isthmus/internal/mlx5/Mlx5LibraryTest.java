// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.bindings.ibverbs.mlx5_wqe_av;
import dev.isthmus.bindings.ibverbs.mlx5dv_h;
import dev.isthmus.bindings.ibverbs.verbs_h;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What is not known is not driven: other libraries, processors and layouts. Each refusal is one sentence. */
@Tag("unit")
class Mlx5LibraryTest {

    private static final QueuePairLayout SOUND = new QueuePairLayout(64, 4096, 64, 64, 8192, 16, 32, 1 << 16, 256);

    private static String refusal(Executable check) {
        return String.valueOf(assertThrows(NotDirect.class, check).getMessage());
    }

    @Test
    void shouldKnowReleasesByTheFileName() {
        assertDoesNotThrow(() -> Mlx5Library.checkRelease("libmlx5.so.1.24.44.0"));
        assertDoesNotThrow(() -> Mlx5Library.checkRelease("libmlx5.so.1.26.64.1"));
        assertEquals(
                "libmlx5.so.1.17.39.0 is of rdma-core 39, and known are 44 to 65",
                refusal(() -> Mlx5Library.checkRelease("libmlx5.so.1.17.39.0")));
        assertTrue(
                refusal(() -> Mlx5Library.checkRelease("libmlx5.so.1.30.66.0")).contains("44 to 65"));
        assertEquals(
                "libmlx5.so.1 does not say which release of rdma-core it is of",
                refusal(() -> Mlx5Library.checkRelease("libmlx5.so.1")));
        assertTrue(refusal(() -> Mlx5Library.checkRelease("libmlx5.so.1.24.99999999999.0"))
                .contains("does not say"));
    }

    @Test
    void shouldNotDriveOtherCards() {
        assertEquals(
                "its device is driven by librxe-rdmav34.so, not by libmlx5",
                refusal(() -> Mlx5Library.checkFile("/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so")));
        assertTrue(refusal(() -> Mlx5Library.checkFile("/nowhere/libmlx5-rdmav34.so"))
                .contains("cannot be found again"));
    }

    @Test
    void shouldNotDriveCardsOfOtherProcessors() {
        assertDoesNotThrow(() -> Mlx5Library.checkPlace("amd64"));
        assertTrue(refusal(() -> Mlx5Library.checkPlace("aarch64")).contains("x86-64 only, and this is aarch64"));
    }

    @Test
    void shouldRefuseLayoutsThatMakeNoSense() {
        assertDoesNotThrow(() -> SOUND.check(16, 16, 2));
        String[] wrong = {
            refusal(() -> new QueuePairLayout(0, 4096, 64, 64, 8192, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(68, 4096, 64, 64, 8192, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 0, 64, 64, 8192, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4100, 64, 64, 8192, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 63, 64, 8192, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 8, 64, 8192, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 1 << 20, 64, 8192, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 64, 128, 8192, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 64, 64, 0, 16, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 64, 64, 8192, 15, 32, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 64, 64, 8192, 16, 16, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 64, 64, 8192, 16, 48, 1 << 16, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 64, 64, 8192, 16, 32, 0, 256).check(16, 16, 2)),
            refusal(() -> new QueuePairLayout(64, 4096, 64, 64, 8192, 16, 32, 1 << 16, 200).check(16, 16, 2))
        };
        for (String sentence : wrong) {
            assertTrue(sentence.startsWith("libmlx5 reports a "), sentence);
        }
        assertDoesNotThrow(() -> new QueuePairLayout(64, 0, 0, 64, 0, 0, 16, 1 << 16, 0).check(0, 0, 1)); // no queues
    }

    @Test
    void shouldRefuseCompletionQueuesThatMakeNoSense() {
        assertDoesNotThrow(() -> new CompletionQueueLayout(4096, 64, 64, 64, 1 << 16, 5).check(63));
        assertEquals(
                "the entries of its completion queue have 128 bytes",
                refusal(() -> new CompletionQueueLayout(4096, 64, 128, 64, 1 << 16, 5).check(63)));
        for (CompletionQueueLayout layout : new CompletionQueueLayout[] {
            new CompletionQueueLayout(0, 64, 64, 64, 1 << 16, 5),
            new CompletionQueueLayout(4096, 60, 64, 64, 1 << 16, 5),
            new CompletionQueueLayout(4096, 32, 64, 64, 1 << 16, 5),
            new CompletionQueueLayout(4096, 64, 32, 64, 1 << 16, 5),
            new CompletionQueueLayout(4096, 64, 64, 0, 1 << 16, 5),
            new CompletionQueueLayout(4096, 64, 64, 64, 0, 5)
        }) {
            assertTrue(refusal(() -> layout.check(63)).contains("makes no sense"), layout.toString());
        }
    }

    @Test
    void shouldHaveTheHeadersConstants() {
        assertEquals(mlx5dv_h.MLX5_OPCODE_SEND_INVAL(), SendRing.OPCODE_SEND_INVAL);
        assertEquals(mlx5dv_h.MLX5_OPCODE_RDMA_WRITE(), SendRing.OPCODE_RDMA_WRITE);
        assertEquals(mlx5dv_h.MLX5_OPCODE_RDMA_WRITE_IMM(), SendRing.OPCODE_RDMA_WRITE_IMM);
        assertEquals(mlx5dv_h.MLX5_OPCODE_SEND(), SendRing.OPCODE_SEND);
        assertEquals(mlx5dv_h.MLX5_OPCODE_SEND_IMM(), SendRing.OPCODE_SEND_IMM);
        assertEquals(mlx5dv_h.MLX5_OPCODE_RDMA_READ(), SendRing.OPCODE_RDMA_READ);
        assertEquals(mlx5dv_h.MLX5_OPCODE_ATOMIC_CS(), SendRing.OPCODE_ATOMIC_CS);
        assertEquals(mlx5dv_h.MLX5_OPCODE_ATOMIC_FA(), SendRing.OPCODE_ATOMIC_FA);
        assertEquals(mlx5dv_h.MLX5_WQE_CTRL_CQ_UPDATE(), SendRing.CTRL_CQ_UPDATE);
        assertEquals(mlx5dv_h.MLX5_WQE_CTRL_CQ_UPDATE(), verbs_h.IBV_SEND_SIGNALED() << 2);
        assertEquals(mlx5dv_h.MLX5_WQE_CTRL_FENCE(), verbs_h.IBV_SEND_FENCE() << 7);
        assertEquals(mlx5dv_h.MLX5_WQE_CTRL_SOLICITED(), verbs_h.IBV_SEND_SOLICITED() >> 1);
        assertEquals(mlx5dv_h.MLX5_INLINE_SEG(), SendRing.INLINE_DATA);
        assertEquals(mlx5dv_h.MLX5_EXTENDED_UD_AV(), SendRing.EXTENDED_UD_AV);
        assertEquals(mlx5dv_h.MLX5_INVALID_LKEY(), ReceiveRing.INVALID_LKEY);
        assertEquals(0, mlx5dv_h.MLX5_RCV_DBR());
        assertEquals(1, mlx5dv_h.MLX5_SND_DBR());
        assertEquals(48, mlx5_wqe_av.sizeof());
        assertEquals(mlx5dv_h.MLX5_CQE_REQ(), CompletionRing.REQ);
        assertEquals(mlx5dv_h.MLX5_CQE_RESP_WR_IMM(), CompletionRing.RESP_WR_IMM);
        assertEquals(mlx5dv_h.MLX5_CQE_RESP_SEND(), CompletionRing.RESP_SEND);
        assertEquals(mlx5dv_h.MLX5_CQE_RESP_SEND_IMM(), CompletionRing.RESP_SEND_IMM);
        assertEquals(mlx5dv_h.MLX5_CQE_RESP_SEND_INV(), CompletionRing.RESP_SEND_INV);
        assertEquals(mlx5dv_h.MLX5_CQE_REQ_ERR(), CompletionRing.REQ_ERR);
        assertEquals(mlx5dv_h.MLX5_CQE_RESP_ERR(), CompletionRing.RESP_ERR);
        assertEquals(mlx5dv_h.MLX5_CQE_INVALID(), CompletionRing.INVALID);
        assertEquals(mlx5dv_h.MLX5_CQ_DOORBELL(), CompletionRing.DOORBELL);
        assertEquals(mlx5dv_h.MLX5_CQ_DB_REQ_NOT_SOL(), CompletionRing.SOLICITED_ONLY);
    }
}
