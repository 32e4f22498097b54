// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import java.util.function.IntSupplier;

/** How an operation on a {@link UcpPayload} is to be done: {@code UCP_OP_ATTR_FLAG}s of {@code ucp_request_param_t}. */
@SuppressWarnings("ImmutableEnumChecker") // the suppliers read constants: late, since that loads the library
public enum UcpOperationOption {
    /**
     * {@code UCP_OP_ATTR_FLAG_FAST_CMPL}: the buffer is to be the program's again as soon as can be, even if the data
     * arrives later for that. It keeps UCX from sending out of the buffer itself.
     */
    FAST_COMPLETION(ucp_h::UCP_OP_ATTR_FLAG_FAST_CMPL),
    /**
     * {@code UCP_OP_ATTR_FLAG_MULTI_SEND}: one of many in flight; their bandwidth counts, and not the time that this one
     * takes.
     */
    MULTI_SEND(ucp_h::UCP_OP_ATTR_FLAG_MULTI_SEND),
    /**
     * {@code UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL}: done at once or not at all. What cannot be done at once is not begun, and
     * the call returns {@link UcpRequests#NOT_BEGUN}. For sends, and receives of streams: a receive of a tag in that
     * way can lose the message in UCX, and is refused; {@link UcpWorker#tagProbe} tells whether there is one.
     */
    ONLY_AT_ONCE(ucp_h::UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL),
    /**
     * {@code UCP_OP_ATTR_FLAG_NO_IMM_CMPL}: the call returns an operation to be asked about and released, even when it
     * was done at once. Streams do without it: UCX would take the payload for plain bytes.
     */
    NEVER_AT_ONCE(ucp_h::UCP_OP_ATTR_FLAG_NO_IMM_CMPL);

    // Asked for when UCX is loaded: that may not begin with ucp_h, before the JVM's signals are safe from it.
    private final IntSupplier bit;

    UcpOperationOption(IntSupplier bit) {
        this.bit = bit;
    }

    int bit() {
        return bit.getAsInt();
    }
}
