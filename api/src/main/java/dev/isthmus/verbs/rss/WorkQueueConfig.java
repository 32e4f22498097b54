// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.rss;

import dev.isthmus.bindings.ibverbs.ibv_wq_init_attr;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Filling;
import dev.isthmus.internal.Natives;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The parameters of a work queue, {@code struct ibv_wq_init_attr}, for the configurer passed to
 * {@link WorkQueue#create}.
 */
public final class WorkQueueConfig {

    /** {@code IBV_WQT_RQ}: the only type there is. */
    private static final int RECEIVE = 0;

    /** {@code IBV_WQ_INIT_ATTR_FLAGS}. */
    private static final int WITH_FLAGS = 1;

    final Filling filling = new Filling();
    private final Set<WorkQueueFlag> flags = EnumSet.noneOf(WorkQueueFlag.class);
    private int maxWr = 64;
    private int maxSge = 1;

    WorkQueueConfig() {}

    /**
     * Sets how many receives can be outstanding. Default: 64.
     *
     * @param requests their number
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public WorkQueueConfig maxWr(int requests) {
        filling.check();
        maxWr = positive("maxWr", requests);
        return this;
    }

    /**
     * Sets how many pieces a packet can be scattered to. Default: 1.
     *
     * @param elements their number
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public WorkQueueConfig maxSge(int elements) {
        filling.check();
        maxSge = positive("maxSge", elements);
        return this;
    }

    /**
     * Sets how it treats packets. Default: no flags.
     *
     * @param wanted all flags to set
     * @return this
     */
    public WorkQueueConfig flags(WorkQueueFlag... wanted) {
        filling.check();
        flags.clear();
        flags.addAll(List.of(wanted));
        return this;
    }

    private static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is not positive: " + value);
        }
        return value;
    }

    void write(ProtectionDomain pd, CompletionQueue completions, MemorySegment init) {
        ibv_wq_init_attr.wq_type(init, RECEIVE);
        ibv_wq_init_attr.max_wr(init, maxWr);
        ibv_wq_init_attr.max_sge(init, maxSge);
        ibv_wq_init_attr.pd(init, Natives.handle(pd));
        ibv_wq_init_attr.cq(init, Natives.handle(completions));
        if (!flags.isEmpty()) {
            ibv_wq_init_attr.comp_mask(init, WITH_FLAGS);
            ibv_wq_init_attr.create_flags(init, Codes.mask(flags, WorkQueueFlag::code));
        }
    }

    /** What was set, for messages. */
    @Override
    public String toString() {
        return "maxWr=" + maxWr + ", maxSge=" + maxSge + (flags.isEmpty() ? "" : ", " + flags);
    }
}
