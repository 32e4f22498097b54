// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

/**
 * Tells a queue pair, on any thread, that its creator has brought it to a state.
 *
 * @param state the {@code enum ibv_qp_state}
 */
public record BroughtTo(int state) {}
