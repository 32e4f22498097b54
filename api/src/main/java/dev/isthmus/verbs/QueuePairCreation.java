// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr;
import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr_ex;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.mlx5.DirectQueues;
import dev.isthmus.internal.verbs.BareQueuePair;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.QueuePairFactory;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Creates queue pairs, by {@code ibv_create_qp}, or by {@code ibv_create_qp_ex} for what only that can do. The plain
 * call's struct is the beginning of the extended one's.
 */
final class QueuePairCreation {

    /** {@code IBV_QP_INIT_ATTR_PD}. */
    private static final int PD = 1;

    private final DeviceContext context;
    private final ProtectionDomain pd; // null for XRC_RECV, which has a domain of another kind
    private final QueuePairType type;
    private final QueuePairFactory factory; // null for verbs itself
    private final Set<Lifetime> parents = new LinkedHashSet<>(); // a set, as messages would count equal ones twice

    private QueuePairCreation(ProtectionDomain pd, QueuePairType type, QueuePairFactory factory) {
        this.context = pd.context();
        this.pd = pd;
        this.type = type;
        this.factory = factory;
        parents.add(pd.lifetime());
        if (factory != null) {
            parents.add(factory.parent());
        }
    }

    private QueuePairCreation(BareQueuePair from) {
        this.context = (DeviceContext) from.context();
        this.pd = (ProtectionDomain) from.domain();
        this.type = QueuePairType.of(from.type());
        this.factory = null;
        if (pd != null) {
            parents.add(pd.lifetime());
        }
        parents.add(from.parent());
    }

    /** Creates one in a protection domain; XRC_SEND has no completion queue for receives. */
    static QueuePair create(
            ProtectionDomain pd,
            QueuePairType type,
            CompletionQueue send,
            CompletionQueue receive,
            QueuePairConfig config) {
        switch (type) {
            case DRIVER ->
                throw new IllegalArgumentException(
                        "a queue pair of type DRIVER, such as EFA's SRD, is made by the driver's own library only");
            case UNKNOWN -> throw new IllegalArgumentException("there is no queue pair of type UNKNOWN");
            case XRC_RECV ->
                throw new IllegalArgumentException(
                        "an XRC_RECV queue pair is in an XRC domain: XrcDomain.createQueuePair() makes one");
            default -> {}
        }
        var creation = new QueuePairCreation(pd, type, config.factory());
        creation.needs(send, "completions of sends");
        if (type.receives()) {
            creation.needs(receive, "completions of receives");
        }
        if (config.sharedReceiveQueue() != null) {
            creation.needs(config.sharedReceiveQueue());
        }
        QueuePair made = creation.create(send, type.receives() ? receive : null, config);
        if (config.factory() != null) {
            made.setInitialState(
                    config.factory().port(), QueuePairState.of(config.factory().initialState()));
        }
        return made;
    }

    /** Creates a queue pair to which nothing is posted. */
    static QueuePair bare(BareQueuePair from) {
        var creation = new QueuePairCreation(from);
        Lifetime lifetime = creation.lifetime();
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                return creation.withoutQueues(from.create().create(call, lifetime.name()), lifetime);
            }
        });
    }

    private void needs(CompletionQueue queue, String what) {
        if (queue == null) {
            throw new NullPointerException("a " + type + " queue pair needs a completion queue for " + what);
        }
        if (queue.context() != context) {
            throw new IllegalArgumentException(
                    queue + " and " + pd + " must be of the same open device, and the completion queues, too");
        }
        parents.add(queue.lifetime());
    }

    private void needs(SharedReceiveQueue queue) {
        if (queue.protectionDomain().context() != context) {
            throw new IllegalArgumentException(queue + " and " + pd + " must be of the same open device");
        }
        parents.add(queue.lifetime());
    }

    private Lifetime lifetime() {
        return new Lifetime("QueuePair", context.device().name() + ", " + type, parents.toArray(Lifetime[]::new));
    }

    private QueuePair create(CompletionQueue send, CompletionQueue receive, QueuePairConfig config) {
        Lifetime lifetime = lifetime();
        return lifetime.open(() -> {
            boolean softRoce = config.operations() != 0 && context.isSoftRoce();
            try (var call = new VerbsCall().explain(errno -> config.exceeds(context.attributes()))) {
                MemorySegment attributes = call.allocate(ibv_qp_init_attr_ex.layout());
                writeCommon(attributes, send, receive, config);
                String what = lifetime.name() + ", " + config;
                MemorySegment qp = isExtended(config)
                        ? createExtended(call, what, attributes, config)
                        : createPlain(call, what, attributes);
                var granted = QueuePairCapabilities.read(ibv_qp_init_attr.cap(attributes));
                return Lifetime.orDestroy(
                        () -> {
                            QueuePair made = queuePair(qp, lifetime, send, receive, config, granted);
                            if (config.operations() != 0) {
                                made.postsBatches(extended(call, qp, what), config.operations(), softRoce);
                            }
                            made.reserveOutstanding(config.requestedSends(), config.requestedReceives());
                            return added(made);
                        },
                        () -> destroy(qp, lifetime.name()));
            }
        });
    }

    /**
     * The queue pair in the form that {@code ibv_wr_*} take.
     *
     * @throws dev.isthmus.VerbsException if the driver has created a plain one, in spite of the request
     */
    static MemorySegment extended(VerbsCall call, MemorySegment qp, String what) {
        MemorySegment extended = call.pointer(Libibverbs.QP_TO_QP_EX, qp);
        if (extended.address() == 0) {
            throw VerbsErrors.failure(
                    "ibv_qp_to_qp_ex",
                    what,
                    Errno.EOPNOTSUPP,
                    "the driver has no second way to post: create it without extendedPosting(), and use tryPost");
        }
        return extended;
    }

    private void destroy(MemorySegment handle, String what) {
        if (factory == null) {
            VerbsCall.destroy(Libibverbs.DESTROY_QP, handle, what);
        } else {
            factory.destroy();
        }
    }

    /** A queue pair to which nothing is posted. */
    private QueuePair withoutQueues(MemorySegment qp, Lifetime lifetime) {
        var none = new QueuePairCapabilities(0, 0, 0, 0, 0);
        return Lifetime.orDestroy(
                () -> added(queuePair(qp, lifetime, null, null, null, none, null)), () -> destroy(qp, lifetime.name()));
    }

    private QueuePair added(QueuePair made) {
        context.objects().add(made.handle(), made);
        context.queuePairs().add(made.qpNum(), made);
        return made;
    }

    /** A queue pair to which requests are posted, by Java or by the driver. */
    private QueuePair queuePair(
            MemorySegment handle,
            Lifetime lifetime,
            CompletionQueue send,
            CompletionQueue receive,
            QueuePairConfig config,
            QueuePairCapabilities granted) {
        DirectQueues direct = Directness.of(type, handle, granted, send, receive, config, lifetime.name());
        QueuePair made = queuePair(handle, lifetime, send, receive, config.sharedReceiveQueue(), granted, direct);
        if (direct == null) {
            send.leaveToDriver("its completion queue has one that is not");
            if (receive != null) {
                receive.leaveToDriver("its completion queue has one that is not");
            }
            made.noteRegister(context.mlx5IfAsked());
        }
        return made;
    }

    private QueuePair queuePair(
            MemorySegment handle,
            Lifetime lifetime,
            CompletionQueue send,
            CompletionQueue receive,
            SharedReceiveQueue shared,
            QueuePairCapabilities granted,
            DirectQueues direct) {
        Runnable destroy = factory == null ? null : factory::destroy;
        return new QueuePair(context, pd, send, receive, shared, type, lifetime, handle, granted, destroy, direct);
    }

    private boolean isExtended(QueuePairConfig config) {
        return type == QueuePairType.XRC_SEND || config.isExtended();
    }

    private void writeCommon(
            MemorySegment attributes, CompletionQueue send, CompletionQueue receive, QueuePairConfig config) {
        ibv_qp_init_attr.send_cq(attributes, send == null ? MemorySegment.NULL : send.handle());
        ibv_qp_init_attr.recv_cq(attributes, receive == null ? MemorySegment.NULL : receive.handle());
        ibv_qp_init_attr.qp_type(attributes, type.code());
        ibv_qp_init_attr.sq_sig_all(attributes, config.signalAll() ? 1 : 0);
        SharedReceiveQueue shared = config.sharedReceiveQueue();
        ibv_qp_init_attr.srq(attributes, shared == null ? MemorySegment.NULL : shared.handle());
        config.write(ibv_qp_init_attr.cap(attributes));
    }

    private MemorySegment createPlain(VerbsCall call, String what, MemorySegment attributes) {
        return factory != null
                ? factory.create(pd.handle(), attributes, false, what)
                : call.create(Libibverbs.CREATE_QP, what, pd.handle(), attributes);
    }

    private MemorySegment createExtended(
            VerbsCall call, String what, MemorySegment attributes, QueuePairConfig config) {
        ibv_qp_init_attr_ex.pd(attributes, pd.handle());
        ibv_qp_init_attr_ex.comp_mask(attributes, config.extendedMask() | PD);
        config.writeExtended(attributes);
        if (factory != null) {
            return factory.create(pd.handle(), attributes, true, what);
        }
        NativeFunction create = context.ops().require(ContextFunction.CREATE_QP_EX);
        return call.create(create, what, context.handle(), attributes);
    }
}
