package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/**
 * What Java knows of one operation. All of it in one object rather than in an array per field: an operation touches most
 * of its fields, so they belong into the same cache lines, and a reference is stored in a field without the check that
 * an array asks for.
 */
final class RequestSlot {

    static final byte SEND = 0;
    static final byte TAG_RECEIVE = 1;
    static final byte FLUSH = 2;

    private static final long PARAM_BYTES = ucp_request_param_t.layout().byteSize();

    final int index;

    /** The request, as C knows it; its parameters follow. */
    final long address;

    /** The operation's number, {@link RequestSlots#FREE} while there is none: then it is the next one. */
    long handle;

    byte kind;

    /** A {@code ucs_status_t}, final unless it is 1. */
    byte status;

    /** The worker's count of events when the status was asked for last. */
    int polledAt;

    long length;
    long senderTag;

    /** Held while C uses it: the memory of an automatic arena must not be collected. */
    MemorySegment buffer;

    UcpEndpoint endpoint;

    RequestSlot(int index, long address, long handle) {
        this.index = index;
        this.address = address;
        this.handle = handle;
    }

    @HotPath
    long sendParameters() {
        return address;
    }

    @HotPath
    long receiveParameters() {
        return address + PARAM_BYTES;
    }

    boolean isTaken() {
        return handle > 0;
    }
}
