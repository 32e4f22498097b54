// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import static dev.isthmus.bindings.ibverbs.mlx5dv_h.*;
import static dev.isthmus.bindings.ibverbs.verbs_h.*;

import dev.isthmus.internal.HotPath;
import java.util.Arrays;

/** Errors in a card's completions, {@code MLX5_CQE_SYNDROME_*}, as {@code enum ibv_wc_status}. */
final class Syndrome {

    private static final byte[] STATUS = new byte[256];

    static {
        Arrays.fill(STATUS, (byte) IBV_WC_GENERAL_ERR());
        STATUS[MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR()] = (byte) IBV_WC_LOC_LEN_ERR();
        STATUS[MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR()] = (byte) IBV_WC_LOC_QP_OP_ERR();
        STATUS[MLX5_CQE_SYNDROME_LOCAL_PROT_ERR()] = (byte) IBV_WC_LOC_PROT_ERR();
        STATUS[MLX5_CQE_SYNDROME_WR_FLUSH_ERR()] = (byte) IBV_WC_WR_FLUSH_ERR();
        STATUS[MLX5_CQE_SYNDROME_MW_BIND_ERR()] = (byte) IBV_WC_MW_BIND_ERR();
        STATUS[MLX5_CQE_SYNDROME_BAD_RESP_ERR()] = (byte) IBV_WC_BAD_RESP_ERR();
        STATUS[MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR()] = (byte) IBV_WC_LOC_ACCESS_ERR();
        STATUS[MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR()] = (byte) IBV_WC_REM_INV_REQ_ERR();
        STATUS[MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR()] = (byte) IBV_WC_REM_ACCESS_ERR();
        STATUS[MLX5_CQE_SYNDROME_REMOTE_OP_ERR()] = (byte) IBV_WC_REM_OP_ERR();
        STATUS[MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR()] = (byte) IBV_WC_RETRY_EXC_ERR();
        STATUS[MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR()] = (byte) IBV_WC_RNR_RETRY_EXC_ERR();
        STATUS[MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR()] = (byte) IBV_WC_REM_ABORT_ERR();
    }

    private Syndrome() {}

    /** The status of a syndrome of 8 bits. */
    @HotPath
    static int status(int syndrome) {
        return STATUS[syndrome];
    }
}
