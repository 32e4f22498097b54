// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr_ex;
import dev.isthmus.bindings.ibverbs.rdma_cm_id;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.cm.Librdmacm;
import dev.isthmus.internal.verbs.QueuePairFactory;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairType;
import java.lang.foreign.MemorySegment;

/** Creates and destroys the queue pair of a connection through librdmacm, which uses it while events are taken. */
final class CmQueuePairFactory implements QueuePairFactory {

    private final ConnectionId id;
    private final Lifetime lifetime;
    private final MemorySegment handle;

    CmQueuePairFactory(ConnectionId id, Lifetime lifetime, MemorySegment handle) {
        this.id = id;
        this.lifetime = lifetime;
        this.handle = handle;
    }

    @Override
    public MemorySegment create(MemorySegment pd, MemorySegment attributes, boolean extended, String what) {
        id.channel().exclusively(() -> {
            try (var call = new CmCall(lifetime).explain(CmQueuePairFactory::help)) {
                if (extended) {
                    ibv_qp_init_attr_ex.pd(attributes, pd);
                    call.check(Librdmacm.CREATE_QP_EX, what, handle, attributes);
                } else {
                    call.check(Librdmacm.CREATE_QP, what, handle, pd, attributes);
                }
            }
        });
        return rdma_cm_id.qp(handle);
    }

    private static String help(int errno) {
        return errno == Errno.EINVAL
                ? "the peer may have gone before it was answered, of which no event tells; or a capacity exceeds the device's"
                : "";
    }

    @Override
    public void destroy() {
        id.destroyQueuePair();
    }

    @Override
    public Lifetime parent() {
        return lifetime;
    }

    @Override
    public int port() {
        return Byte.toUnsignedInt(rdma_cm_id.port_num(handle));
    }

    /** librdmacm brings datagram queue pairs to RTS, and others to INIT. */
    @Override
    public int initialState() {
        return (id.queuePairType() == QueuePairType.UD ? QueuePairState.RTS : QueuePairState.INIT).code();
    }
}
