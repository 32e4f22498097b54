// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_sge;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;

/**
 * What will be done with memory that a device faults in on demand: {@code enum ibv_advise_mr_advice}.
 */
public enum MemoryAdvice {
    /** It will be read: fault it in. {@code IBV_ADVISE_MR_ADVICE_PREFETCH}. */
    PREFETCH(0),
    /** It will be written: fault it in for writing. {@code IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE}. */
    PREFETCH_WRITE(1),
    /**
     * It will be used: take the pages that are present, and fault none in.
     * {@code IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT}.
     */
    PREFETCH_NO_FAULT(2);

    private static final int FLUSH = 1;

    /**
     * The most bytes of one list element, whose length has 32 bits. A power of two keeps the next element page-aligned.
     */
    private static final long MAX_ELEMENT = 1L << 31;

    private static final long MAX_ELEMENTS = 512;

    private final int code;

    MemoryAdvice(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its code
     */
    public int code() {
        return code;
    }

    void give(MemoryRegion region, boolean wait, long offset, long length) {
        if (length > MAX_ELEMENT * MAX_ELEMENTS) {
            throw new IllegalArgumentException(
                    "advice on more than " + MAX_ELEMENT * MAX_ELEMENTS + " bytes at once: " + length);
        }
        int count = (int) ((length + MAX_ELEMENT - 1) / MAX_ELEMENT);
        ProtectionDomain pd = region.protectionDomain();
        try (var call = new VerbsCall(region.lifetime())) {
            MemorySegment list = call.allocate(ibv_sge.layout(), Math.max(1, count));
            for (int i = 0; i < count; i++) {
                MemorySegment element = ibv_sge.asSlice(list, i);
                long begin = i * MAX_ELEMENT;
                ibv_sge.addr(element, region.address() + offset + begin);
                ibv_sge.length(element, (int) Math.min(MAX_ELEMENT, length - begin));
                ibv_sge.lkey(element, region.lkey());
            }
            String what = region + ", " + this + ", offset " + offset + ", " + length + " bytes";
            var function = pd.context().ops().require(ContextFunction.ADVISE_MR);
            call.check(function, what, pd.handle(), code, wait ? FLUSH : 0, list, count);
        }
    }
}
