// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import java.util.function.IntSupplier;

/** How to do an operation on a {@link UcpPayload}: {@code UCP_OP_ATTR_FLAG}s of {@code ucp_request_param_t}. */
@SuppressWarnings("ImmutableEnumChecker") // the suppliers read constants late, as that loads the library
public enum UcpOperationOption {
    /**
     * {@code UCP_OP_ATTR_FLAG_FAST_CMPL}: gives the buffer back as soon as possible, even if the data then arrives
     * later. It keeps UCX from sending directly from the buffer.
     */
    FAST_COMPLETION(ucp_h::UCP_OP_ATTR_FLAG_FAST_CMPL),
    /**
     * {@code UCP_OP_ATTR_FLAG_MULTI_SEND}: one of many in flight, whose bandwidth matters more than this one's latency.
     */
    MULTI_SEND(ucp_h::UCP_OP_ATTR_FLAG_MULTI_SEND),
    /**
     * {@code UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL}: done at once or not at all. If it cannot be done at once, it is not
     * begun, and the call returns {@link UcpRequests#NOT_BEGUN}. It works for sends, and for receives of streams. A
     * receive of a tag is refused, because it can lose the message in UCX; {@link UcpWorker#tagProbe} says whether
     * there is one.
     */
    ONLY_AT_ONCE(ucp_h::UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL),
    /**
     * {@code UCP_OP_ATTR_FLAG_NO_IMM_CMPL}: the call returns an operation to query and release, even if it was done at
     * once. Not for streams: UCX would take the payload for plain bytes.
     */
    NEVER_AT_ONCE(ucp_h::UCP_OP_ATTR_FLAG_NO_IMM_CMPL);

    // Read once UCX is loaded: ucp_h must not load it first, before the JVM's signals are protected.
    private final IntSupplier bit;

    UcpOperationOption(IntSupplier bit) {
        this.bit = bit;
    }

    int bit() {
        return bit.getAsInt();
    }
}
