// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.cqex;

import dev.isthmus.bindings.ibverbs.ibv_cq_init_attr_ex;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Filling;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ParentDomain;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The parameters of an extended completion queue besides its size, {@code struct ibv_cq_init_attr_ex}, for the
 * configurer passed to {@link ExtendedCompletionQueue#create}.
 */
public final class ExtendedCompletionQueueConfig {

    /** {@code IBV_CQ_INIT_ATTR_MASK_FLAGS}. */
    private static final int MASK_FLAGS = 1;

    /** {@code IBV_CQ_INIT_ATTR_MASK_PD}. */
    private static final int MASK_PD = 1 << 1;

    /** {@code IBV_CREATE_CQ_ATTR_SINGLE_THREADED}. */
    private static final int SINGLE_THREADED = 1;

    /** {@code IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN}. */
    private static final int IGNORE_OVERRUN = 1 << 1;

    final Filling filling = new Filling();
    private CompletionChannel channel;
    private int vector;
    private ParentDomain parentDomain;
    private final EnumSet<CompletionField> fields = EnumSet.noneOf(CompletionField.class);
    private int flags;

    ExtendedCompletionQueueConfig() {}

    /**
     * Sets where it sends events. Default: nowhere.
     *
     * @param to a channel of the same open device, which stays open as long as the queue; or null for none
     * @return this
     */
    public ExtendedCompletionQueueConfig channel(CompletionChannel to) {
        filling.check();
        channel = to;
        return this;
    }

    /**
     * Sets which of the device's completion vectors signals its events. Default: 0.
     *
     * @param number from 0, below {@link DeviceContext#completionVectors}
     * @return this
     */
    public ExtendedCompletionQueueConfig vector(int number) {
        filling.check();
        vector = number;
        return this;
    }

    /**
     * Sets what you can read of a completion besides its wrId, status, opcode, flags and vendor error:
     * {@code wc_flags}. Default: nothing.
     *
     * @param wanted replaces what was set before
     * @return this
     */
    public ExtendedCompletionQueueConfig fields(CompletionField... wanted) {
        filling.check();
        fields.clear();
        fields.addAll(Arrays.asList(wanted));
        return this;
    }

    /**
     * Asks for everything that every device with extended completion queues has: {@code IBV_WC_STANDARD_FLAGS}.
     *
     * @return this
     */
    public ExtendedCompletionQueueConfig standardFields() {
        filling.check();
        fields.clear();
        fields.addAll(EnumSet.range(CompletionField.BYTE_LEN, CompletionField.DLID_PATH_BITS));
        return this;
    }

    /**
     * Lets the driver take no lock: {@code IBV_CREATE_CQ_ATTR_SINGLE_THREADED}. Default: no. The queue belongs to one
     * thread anyway. The queue pairs that complete into it must belong to the same thread, because drivers clean the
     * queue when one is destroyed.
     *
     * @param single true for no lock
     * @return this
     */
    public ExtendedCompletionQueueConfig singleThreaded(boolean single) {
        filling.check();
        return flag(SINGLE_THREADED, single);
    }

    /**
     * Lets new completions overwrite old ones, rather than fail when there is no room:
     * {@code IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN}. Default: no.
     *
     * @param ignore true to overwrite
     * @return this
     */
    public ExtendedCompletionQueueConfig ignoreOverrun(boolean ignore) {
        filling.check();
        return flag(IGNORE_OVERRUN, ignore);
    }

    /**
     * Sets the parent domain whose allocator and locks it uses: {@code IBV_CQ_INIT_ATTR_MASK_PD}. Default: none. Some
     * drivers ignore it.
     *
     * @param domain a parent domain of the same open device, which stays open as long as the queue; or null for none
     * @return this
     */
    public ExtendedCompletionQueueConfig parentDomain(ParentDomain domain) {
        filling.check();
        parentDomain = domain;
        return this;
    }

    private ExtendedCompletionQueueConfig flag(int bit, boolean set) {
        flags = set ? flags | bit : flags & ~bit;
        return this;
    }

    CompletionChannel channel() {
        return channel;
    }

    int vector() {
        return vector;
    }

    int wantedFields() {
        return Codes.mask(fields, CompletionField::code);
    }

    /** Checks for mistakes that C does not explain. */
    void check(DeviceContext context) {
        if (parentDomain != null && parentDomain.context() != context) {
            throw new IllegalArgumentException("the parent domain must be of the same open device: " + parentDomain);
        }
    }

    List<Lifetime> parents() {
        return parentDomain == null ? List.of() : List.of(Natives.lifetime(parentDomain));
    }

    void write(MemorySegment attributes, int entries, MemorySegment channelHandle) {
        ibv_cq_init_attr_ex.cqe(attributes, entries);
        ibv_cq_init_attr_ex.channel(attributes, channelHandle);
        ibv_cq_init_attr_ex.comp_vector(attributes, vector);
        ibv_cq_init_attr_ex.wc_flags(attributes, wantedFields());
        ibv_cq_init_attr_ex.comp_mask(attributes, (flags == 0 ? 0 : MASK_FLAGS) | (parentDomain == null ? 0 : MASK_PD));
        ibv_cq_init_attr_ex.flags(attributes, flags);
        ibv_cq_init_attr_ex.parent_domain(
                attributes, parentDomain == null ? MemorySegment.NULL : Natives.handle(parentDomain));
    }

    /** Settings that a device may not support, in words. */
    String unusual() {
        List<CompletionField> special =
                fields.stream().filter(field -> !field.isStandard()).toList();
        return special.isEmpty()
                ? ""
                : "the device may not have the fields "
                        + special.stream().map(Enum::name).collect(Collectors.joining(", "));
    }

    /** What was set, for messages. */
    @Override
    public String toString() {
        return "fields=" + fields + ((flags & SINGLE_THREADED) == 0 ? "" : ", singleThreaded")
                + ((flags & IGNORE_OVERRUN) == 0 ? "" : ", ignoreOverrun");
    }
}
