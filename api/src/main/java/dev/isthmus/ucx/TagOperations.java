// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.bindings.ucx.ucp_tag_recv_info;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcpTag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Tag matching on one worker and its endpoints: checks and calls. */
final class TagOperations {

    private static final int REMOVE = 1;
    private static final int NO_IMMEDIATE_COMPLETION = ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL();

    private final WorkerCore parent;
    private final OwnerThread owner;
    private final Operations operations;
    private final AsyncRequests async;
    private final TagMessages messages = new TagMessages();
    private final MemorySegment info;
    private final boolean enabled;
    private final long worker;

    TagOperations(WorkerCore parent, Operations operations, AsyncRequests async) {
        this.parent = parent;
        this.owner = parent.owner();
        this.operations = operations;
        this.async = async;
        this.info = ucp_tag_recv_info.allocate(parent.arena());
        this.enabled = parent.has(UcpFeature.TAG);
        this.worker = parent.handle();
    }

    /** {@code ucp_tag_send_nbx}, on an open endpoint of this thread. */
    @HotPath
    long send(UcpEndpoint endpoint, long ep, MemorySegment buffer, long offset, long length, long tag) {
        checkEnabled();
        long address = BufferChecks.readable(buffer, offset, length);
        long parameters = operations.next();
        ArenaUse use = operations.hold(buffer);
        long result = Ucp.tagSend(ep, address, length, tag, parameters);
        return result == 0
                ? operations.completedAtOnce(buffer, use)
                : operations.trackBuffer(result, RequestSlot.SEND, endpoint, buffer, length, use);
    }

    /** {@code ucp_tag_send_sync_nbx}, on an open endpoint of this thread. */
    @HotPath
    long sendSync(UcpEndpoint endpoint, long ep, MemorySegment buffer, long offset, long length, long tag) {
        checkEnabled();
        long address = BufferChecks.readable(buffer, offset, length);
        long parameters = operations.next();
        ArenaUse use = operations.hold(buffer);
        long result = UcpTag.sendSync(ep, address, length, tag, parameters);
        return result == 0
                ? operations.completedAtOnce(buffer, use)
                : operations.trackBuffer(result, RequestSlot.SYNC_SEND, endpoint, buffer, length, use);
    }

    /** Both sends, of something other than a plain buffer. */
    @HotPath
    long send(UcpEndpoint endpoint, long ep, UcpPayload payload, long tag, byte kind) {
        checkEnabled();
        payload.checkOf(parent);
        if (kind == RequestSlot.SYNC_SEND && payload.isOnlyAtOnce()) {
            throw new IllegalArgumentException("a synchronous send waits for its receiver: it is never done at once");
        }
        long address = payload.address(false);
        RequestSlot slot = operations.nextSlot();
        long parameters = payload.begin(slot, false, 0, 0, 0);
        long result = kind == RequestSlot.SEND
                ? Ucp.tagSend(ep, address, payload.count(), tag, parameters)
                : UcpTag.sendSync(ep, address, payload.count(), tag, parameters);
        return operations.trackPayload(result, slot, kind, endpoint, payload);
    }

    /** {@code ucp_tag_recv_nbx}. */
    @HotPath
    long receive(MemorySegment buffer, long offset, long length, long tag, long mask) {
        owner.check();
        checkEnabled();
        long address = BufferChecks.writable(buffer, offset, length);
        long parameters = operations.next() + RequestMemory.RECEIVE;
        ArenaUse use = operations.hold(buffer);
        long result = Ucp.tagReceive(worker, address, length, tag, mask, parameters);
        return operations.trackBuffer(result, RequestSlot.TAG_RECEIVE, null, buffer, length, use);
    }

    /** {@code ucp_tag_recv_nbx} into something other than a plain buffer. */
    @HotPath
    long receive(UcpPayload payload, long tag, long mask) {
        owner.check();
        checkEnabled();
        long address = receivable(payload);
        RequestSlot slot = operations.nextSlot();
        long parameters = payload.begin(slot, true, 0, NO_IMMEDIATE_COMPLETION, 0);
        long result = Ucp.tagReceive(worker, address, payload.count(), tag, mask, parameters);
        return operations.trackPayload(result, slot, RequestSlot.TAG_RECEIVE, null, payload);
    }

    /** {@code ucp_tag_probe_nb}. */
    @HotPath
    boolean probe(long tag, long mask, UcpTagMessage message, boolean take) {
        owner.check();
        checkEnabled();
        if (!message.isOf(this)) {
            throw new IllegalArgumentException(message + " is for another worker than " + parent);
        }
        if (message.handle() != 0) {
            throw new IllegalStateException(message + " holds a message already: receive() or close() it first");
        }
        if (take) {
            messages.reserve(); // before C gives the message away, as it may fail
        }
        long handle = UcpTag.probe(worker, tag, mask, take ? REMOVE : 0, info.address());
        if (handle == 0) {
            return false;
        }
        message.found(ucp_tag_recv_info.length(info), ucp_tag_recv_info.sender_tag(info));
        if (take) {
            messages.add(message, handle);
        }
        return true;
    }

    /** {@code ucp_tag_msg_recv_nbx}. */
    @HotPath
    long receive(UcpTagMessage message, MemorySegment buffer, long offset, long length) {
        owner.check();
        long handle = held(message);
        long address = BufferChecks.writable(buffer, offset, length);
        long parameters = operations.next() + RequestMemory.RECEIVE;
        ArenaUse use = operations.hold(buffer);
        messages.remove(message);
        long result = UcpTag.receiveMessage(worker, address, length, handle, parameters);
        return operations.trackBuffer(result, RequestSlot.TAG_RECEIVE, null, buffer, length, use);
    }

    /** {@code ucp_tag_msg_recv_nbx} into something other than a plain buffer. */
    @HotPath
    long receive(UcpTagMessage message, UcpPayload payload) {
        owner.check();
        long handle = held(message);
        long address = receivable(payload);
        RequestSlot slot = operations.nextSlot();
        long parameters = payload.begin(slot, true, 0, NO_IMMEDIATE_COMPLETION, 0);
        messages.remove(message);
        long result = UcpTag.receiveMessage(worker, address, payload.count(), handle, parameters);
        return operations.trackPayload(result, slot, RequestSlot.TAG_RECEIVE, null, payload);
    }

    AsyncRequests async() {
        return async;
    }

    /** Receives a message into nothing, with a request of UCX's own that nobody waits for. */
    void drop(UcpTagMessage message) {
        owner.check();
        long handle = message.handle();
        long result;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = ucp_request_param_t.allocate(arena);
            messages.remove(message);
            result = UcpTag.receiveMessage(worker, info.address(), 0, handle, parameters.address());
        }
        operations.touch();
        if (result != 0 && !UcxFailure.isError(result)) {
            UcpCall.run(Libucp.REQUEST_FREE, result);
        }
    }

    /** Drops all taken messages, as destroying the worker does not free them. */
    void dropAll() {
        UcpTagMessage message;
        while ((message = messages.any()) != null) {
            drop(message);
        }
    }

    @HotPath
    private long held(UcpTagMessage message) {
        long handle = message.handle();
        if (handle == 0) {
            throw new IllegalStateException("no message is held: it was received or closed, or none was taken");
        }
        return handle;
    }

    @HotPath
    private long receivable(UcpPayload payload) {
        payload.checkOf(parent);
        if (payload.isOnlyAtOnce()) {
            throw new IllegalArgumentException(
                    "UCX can lose a message that is received only at once: tagProbe() tells whether there is one");
        }
        return payload.address(true);
    }

    @HotPath
    private void checkEnabled() {
        if (!enabled) {
            throw parent.without(UcpFeature.TAG);
        }
    }
}
