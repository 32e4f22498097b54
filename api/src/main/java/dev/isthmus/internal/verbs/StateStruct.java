// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import java.lang.foreign.MemorySegment;

/**
 * What a step of a queue pair is created from.
 *
 * @param state the {@code enum ibv_qp_state} that it leads to
 * @param attributes a {@code struct ibv_qp_attr}
 * @param mask the {@code enum ibv_qp_attr_mask} of the members that count
 */
public record StateStruct(int state, MemorySegment attributes, int mask) {}
