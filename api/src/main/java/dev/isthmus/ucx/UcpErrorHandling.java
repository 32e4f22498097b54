// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/** What an endpoint promises when its peer dies: {@code ucp_err_handling_mode_t}. Both peers choose the same. */
public enum UcpErrorHandling {
    /**
     * {@code UCP_ERR_HANDLING_MODE_NONE}: nothing. The fastest, and every transport has it; an operation towards a
     * dead peer may never complete. Peers are to agree before one of them closes: UCX may end the process of one that
     * still sends, or whose endpoint is gone when an answer to it arrives. Of an endpoint that is closed, UCX keeps the
     * peer's half, with its descriptors, until the peer's worker is closed: where many come and go, take the other mode.
     */
    NONE,
    /**
     * {@code UCP_ERR_HANDLING_MODE_PEER}: a send completes with an error when the peer died, and the endpoint can be
     * closed by force. Shared memory has it only where the environment says UCX_POSIX_ERROR_HANDLING=y or
     * UCX_SYSV_ERROR_HANDLING=y. A receive belongs to no endpoint: whoever waits for one cancels it.
     */
    PEER
}
