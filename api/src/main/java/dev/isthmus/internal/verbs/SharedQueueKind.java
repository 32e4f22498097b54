// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Describes a kind of shared receive queue that another package defines. Given to the queue's configuration.
 *
 * @param type {@code enum ibv_srq_type}
 * @param completions the completion queue, which queues of this kind have
 * @param parent what must stay open as long as the queue, besides the completion queue
 * @param mask the {@code enum ibv_srq_init_attr_mask} of the written members
 * @param write fills in members of {@code struct ibv_srq_init_attr_ex}
 */
public record SharedQueueKind(int type, Object completions, Lifetime parent, int mask, Consumer<MemorySegment> write) {}
