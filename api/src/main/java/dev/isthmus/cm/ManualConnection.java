// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.ibverbs.ibv_ece;
import dev.isthmus.bindings.ibverbs.ibv_qp_attr;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.cm.Librdmacm;
import dev.isthmus.internal.verbs.StateStruct;
import dev.isthmus.verbs.AsyncEventType;
import dev.isthmus.verbs.ConnectionEstablishment;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import java.lang.foreign.MemorySegment;

/** The part of {@link ConnectionId} for programs that create its queue pair themselves. */
abstract sealed class ManualConnection extends ConnectionAddressing permits ConnectionId {

    private static final String ECE_BY_LIBRARY = "for which librdmacm handles vendor options";

    ManualConnection(
            EventChannel channel, Lifetime onChannel, PortSpace space, ConnectionId listener, MemorySegment handle) {
        super(channel, onChannel, space, listener, handle);
    }

    /**
     * What to set on a queue pair that the program created itself, to bring it to a state: {@code rdma_init_qp_attr}.
     *
     * @param state INIT, RTR or RTS
     * @return the step, for {@link QueuePair#modify}; you can set more on it
     * @throws IllegalArgumentException if no program can ask for the state
     * @throws IllegalStateException if this is closed, or has no device
     * @throws dev.isthmus.CmException if the call fails, for example before the peer has answered
     */
    public QueuePairTransition transition(QueuePairState state) {
        QueuePairTransition.to(state); // refuses states that no program can ask for
        calls.requireDevice("transition");
        return calls.exclusively(() -> {
            try (var call = calls.begin()) {
                MemorySegment attributes = call.allocate(ibv_qp_attr.layout());
                MemorySegment mask = call.allocateInt();
                ibv_qp_attr.qp_state(attributes, state.code());
                call.check(Librdmacm.INIT_QP_ATTR, this + ", " + state, calls.handle(), attributes, mask);
                return Natives.create(
                        QueuePairTransition.class, new StateStruct(state.code(), attributes, mask.get(JAVA_INT, 0)));
            }
        });
    }

    /**
     * Sets the vendor options to offer, for a queue pair that the program created itself: {@code rdma_set_local_ece}.
     *
     * @param options as returned by {@link QueuePair#ece}
     * @throws IllegalArgumentException if the vendor is 0
     * @throws IllegalStateException if this is closed, or has a queue pair, for which Isthmus sets them
     * @throws dev.isthmus.CmException if the call fails
     */
    public void localEce(ConnectionEstablishment options) {
        if (options.vendorId() == 0) {
            throw new IllegalArgumentException("vendor options of no vendor: " + options);
        }
        calls.requireNoQueuePair(ECE_BY_LIBRARY);
        calls.invoke(Librdmacm.SET_LOCAL_ECE, options.toString(), call -> {
            MemorySegment ece = call.allocate(ibv_ece.layout());
            ibv_ece.vendor_id(ece, options.vendorId());
            ibv_ece.options(ece, options.options());
            return new Object[] {calls.handle(), ece};
        });
    }

    /**
     * The vendor options that the peer has offered or accepted: {@code rdma_get_remote_ece}.
     *
     * @return the options; with vendor 0 if the peer sent none
     * @throws IllegalStateException if this is closed, or has a queue pair, for which they were set already
     * @throws dev.isthmus.CmException if the call fails
     */
    public ConnectionEstablishment remoteEce() {
        calls.requireNoQueuePair(ECE_BY_LIBRARY);
        return calls.exclusively(() -> {
            try (var call = new CmCall(calls.lifetime())) {
                MemorySegment ece = call.allocate(ibv_ece.layout());
                call.check(Librdmacm.GET_REMOTE_ECE, toString(), calls.handle(), ece);
                return new ConnectionEstablishment(ibv_ece.vendor_id(ece), ibv_ece.options(ece));
            }
        });
    }

    /**
     * Tells the peer that a queue pair that the program created itself is ready: {@code rdma_establish}. Call it after
     * a {@link CmEvent.ConnectResponse}.
     *
     * @throws IllegalStateException if this is closed, has no response, or has a queue pair, for which taking events
     *     does it
     * @throws dev.isthmus.CmException if the call fails
     */
    public void establish() {
        calls.requireNoQueuePair("which is established as its event is taken");
        calls.answer(
                Librdmacm.ESTABLISH, "", Phase.ESTABLISHED, call -> new Object[] {calls.handle()}, Phase.RESPONDED);
    }

    /**
     * Passes an asynchronous event of the queue pair to the kernel: {@code rdma_notify}. Only
     * {@link AsyncEventType#COMM_EST} matters: data arrived before the peer's last message, so the connection
     * is established.
     *
     * @param type the event
     * @throws IllegalArgumentException if it is UNKNOWN
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails, for example because nothing is being accepted
     */
    public void notifyOf(AsyncEventType type) {
        if (type == AsyncEventType.UNKNOWN) {
            throw new IllegalArgumentException("the event is UNKNOWN");
        }
        calls.invoke(Librdmacm.NOTIFY, type.toString(), call -> new Object[] {calls.handle(), type.code()});
    }
}
