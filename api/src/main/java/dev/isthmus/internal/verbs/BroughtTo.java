// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

/**
 * News for a queue pair, on any thread: who made it has brought it to a state.
 *
 * @param state the {@code enum ibv_qp_state}
 */
public record BroughtTo(int state) {}
