// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_srq_attr;
import dev.isthmus.bindings.ibverbs.ibv_srq_init_attr_ex;
import dev.isthmus.bindings.ibverbs.ibv_tm_cap;
import dev.isthmus.internal.Filling;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.SharedQueueKind;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The parameters of a shared receive queue, {@code struct ibv_srq_init_attr_ex}, for the configurer passed to
 * {@link ProtectionDomain#createSharedReceiveQueue}.
 */
public final class SharedReceiveQueueConfig {

    static {
        Natives.of(SharedReceiveQueueConfig.class).accepts(SharedQueueKind.class, SharedReceiveQueueConfig::become);
    }

    /** Bits of {@code enum ibv_srq_init_attr_mask}. */
    private static final int TYPE_AND_PD = 1 | 1 << 1;

    private static final int CQ = 1 << 3;
    private static final int TM = 1 << 4;

    final Filling filling = new Filling();
    private int maxWr = 64;
    private int maxSge = 1;
    private SharedReceiveQueueType type = SharedReceiveQueueType.BASIC;
    private SharedQueueKind kind; // null unless another package defines it
    private CompletionQueue completions;
    private int maxTags;
    private int maxOps;

    SharedReceiveQueueConfig() {}

    /**
     * Sets how many receives can be outstanding. Default: 64.
     *
     * @param requests their number
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public SharedReceiveQueueConfig maxWr(int requests) {
        filling.check();
        maxWr = positive("maxWr", requests);
        return this;
    }

    /**
     * Sets how many pieces a message can be scattered to. Default: 1.
     *
     * @param elements their number
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public SharedReceiveQueueConfig maxSge(int elements) {
        filling.check();
        maxSge = positive("maxSge", elements);
        return this;
    }

    /**
     * Makes it a queue that matches tags: {@code IBV_SRQT_TM}.
     *
     * @param receiveCompletions where tag operations and receives complete, of the same open device
     * @param tags how many tagged receives can be outstanding
     * @param operations how many tag operations can be outstanding
     * @return this
     * @throws IllegalArgumentException if a number is not positive
     */
    public SharedReceiveQueueConfig tagMatching(CompletionQueue receiveCompletions, int tags, int operations) {
        filling.check();
        type = SharedReceiveQueueType.TM;
        completions = Objects.requireNonNull(receiveCompletions, "receiveCompletions");
        maxTags = positive("tags", tags);
        maxOps = positive("operations", operations);
        return this;
    }

    private void become(SharedQueueKind other) {
        if (type != SharedReceiveQueueType.BASIC) {
            throw new IllegalArgumentException("a shared receive queue has one type: this one is to be " + type);
        }
        kind = other;
        type = SharedReceiveQueueType.of(other.type());
        completions = (CompletionQueue) other.completions();
    }

    static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is not positive: " + value);
        }
        return value;
    }

    SharedReceiveQueueType type() {
        return type;
    }

    int maxOps() {
        return type == SharedReceiveQueueType.TM ? maxOps : 0;
    }

    /** What must stay open for the queue, besides its protection domain. */
    Lifetime[] parents(ProtectionDomain pd) {
        List<Lifetime> parents = new ArrayList<>(List.of(pd.lifetime()));
        if (kind != null) {
            parents.add(kind.parent());
        }
        if (completions != null) {
            sameDevice(pd, completions.context(), completions);
            parents.add(completions.lifetime());
        }
        return parents.toArray(Lifetime[]::new);
    }

    private static void sameDevice(ProtectionDomain pd, DeviceContext other, Object object) {
        if (pd.context() != other) {
            throw new IllegalArgumentException(object + " and " + pd + " must be of the same open device");
        }
    }

    /** Fills in the struct, which begins with a {@code struct ibv_srq_init_attr}. */
    void write(ProtectionDomain pd, MemorySegment init) {
        MemorySegment attributes = ibv_srq_init_attr_ex.attr(init);
        ibv_srq_attr.max_wr(attributes, maxWr);
        ibv_srq_attr.max_sge(attributes, maxSge);
        int mask = TYPE_AND_PD;
        ibv_srq_init_attr_ex.srq_type(init, type.code());
        ibv_srq_init_attr_ex.pd(init, pd.handle());
        if (kind != null) {
            mask |= kind.mask();
            kind.write().accept(init);
        }
        if (completions != null) {
            mask |= CQ;
            ibv_srq_init_attr_ex.cq(init, completions.handleForOthers());
        }
        if (type == SharedReceiveQueueType.TM) {
            mask |= TM;
            MemorySegment tags = ibv_srq_init_attr_ex.tm_cap(init);
            ibv_tm_cap.max_num_tags(tags, maxTags);
            ibv_tm_cap.max_ops(tags, maxOps);
        }
        ibv_srq_init_attr_ex.comp_mask(init, mask);
    }

    /** Which settings exceed the limits of a device, in words; empty if none does. */
    String exceeds(DeviceAttributes limits) {
        String wr = maxWr > limits.maxSrqWr() ? "maxWr=" + limits.maxSrqWr() : "";
        String sge = maxSge > limits.maxSrqSge() ? "maxSge=" + limits.maxSrqSge() : "";
        return wr.isEmpty() && sge.isEmpty()
                ? ""
                : "the device allows " + wr + (wr.isEmpty() || sge.isEmpty() ? "" : ", ") + sge;
    }

    /** What was set, for messages. */
    @Override
    public String toString() {
        return "maxWr=" + maxWr + ", maxSge=" + maxSge
                + (type == SharedReceiveQueueType.TM ? ", tags=" + maxTags + ", operations=" + maxOps : "");
    }
}
