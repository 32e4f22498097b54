// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/** What an endpoint promises when its peer dies: {@code ucp_err_handling_mode_t}. Both peers must choose the same. */
public enum UcpErrorHandling {
    /**
     * {@code UCP_ERR_HANDLING_MODE_NONE}: nothing. It is the fastest, and every transport has it. An operation
     * towards a dead peer may never complete. Peers must agree before one of them closes: UCX may end the process of
     * a peer that still sends, or whose endpoint is gone when an answer to it arrives. When an endpoint is closed,
     * UCX keeps the peer's half, with its descriptors, until the peer's worker is closed: where many come and go, use
     * the other mode.
     */
    NONE,
    /**
     * {@code UCP_ERR_HANDLING_MODE_PEER}: a send completes with an error if the peer died, and you can close the
     * endpoint by force. Shared memory has it only if the environment says UCX_POSIX_ERROR_HANDLING=y or
     * UCX_SYSV_ERROR_HANDLING=y. There, with UCX 1.16 and newer, a get needs the peer to progress, unless the context
     * sets RNDV_THRESH=inf (from 1.20 on) or PROTO_ENABLE=n (before). A receive belongs to no endpoint: cancel it
     * yourself.
     */
    PEER
}
