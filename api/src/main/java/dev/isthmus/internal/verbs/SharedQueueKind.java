// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Makes a shared receive queue one of a kind that another package knows. Given to the queue's configuration.
 *
 * @param type {@code enum ibv_srq_type}
 * @param completions the completion queue, of which a queue of this kind has one
 * @param parent what must stay open as long as the queue is, besides the completion queue
 * @param mask {@code enum ibv_srq_init_attr_mask} of what is written
 * @param write fills members of {@code struct ibv_srq_init_attr_ex} in
 */
public record SharedQueueKind(int type, Object completions, Lifetime parent, int mask, Consumer<MemorySegment> write) {}
