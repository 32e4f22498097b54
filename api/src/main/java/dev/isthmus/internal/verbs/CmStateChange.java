// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

/**
 * A state to which rdma_cm has brought a queue pair; given to the queue pair on any thread.
 *
 * @param state the {@code enum ibv_qp_state}
 */
public record CmStateChange(int state) {}
