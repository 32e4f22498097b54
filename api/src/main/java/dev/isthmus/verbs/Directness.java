// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.mlx5.CompletionRing;
import dev.isthmus.internal.mlx5.DirectQueues;
import dev.isthmus.internal.mlx5.Mlx5Library;
import dev.isthmus.internal.mlx5.NotDirect;
import dev.isthmus.internal.mlx5.RegisterUse;
import dev.isthmus.verbs.attributes.AtomicCapability;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides whether Java itself drives a new queue pair's queues: {@link QueuePairConfig#direct}. What speaks against it is
 * logged in one sentence, and libmlx5 drives it.
 */
final class Directness {

    /** What asks for it in the whole process. */
    static final String PROPERTY = "isthmus.mlx5.direct";

    private static final System.Logger LOG = System.getLogger("dev.isthmus");

    /** The reasons that were logged for queue pairs that did not ask by themselves. */
    private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

    private Directness() {}

    /** Whether the process asks for it. */
    static boolean isDefault() {
        return Boolean.getBoolean(PROPERTY);
    }

    /**
     * The queues of a new queue pair that becomes direct; null if libmlx5, or another driver, drives it.
     *
     * @throws IllegalArgumentException if it cannot be direct, and its completion queue is
     */
    static DirectQueues of(
            QueuePairType type,
            MemorySegment qp,
            QueuePairCapabilities granted,
            CompletionQueue send,
            CompletionQueue receive,
            QueuePairConfig config,
            String name) {
        try {
            if (!config.isDirect()) {
                throw new NotDirect("its configuration says so");
            }
            check(type, send, receive, config);
            return take(type, qp, granted, send, receive, config);
        } catch (NotDirect e) {
            if (isPolledByJava(send) || isPolledByJava(receive)) {
                throw new IllegalArgumentException(
                        name + " cannot complete in a completion queue of direct queue pairs," + " because "
                                + e.getMessage() + ": create another completion queue for it, with direct(false)");
            }
            if (config.isDirect()) {
                log(name, config, String.valueOf(e.getMessage()));
            }
            return null;
        }
    }

    private static boolean isPolledByJava(CompletionQueue queue) {
        return queue != null && queue.ring() != null;
    }

    private static void log(String name, QueuePairConfig config, String reason) {
        if (config.asksForDirect()) {
            LOG.log(Level.WARNING, "{0} is not direct, because {1}", name, reason);
        } else if (LOGGED.add(reason)) {
            LOG.log(Level.INFO, "{0} is not direct, because {1}; this is said once", name, reason);
        }
    }

    private static void check(QueuePairType type, CompletionQueue send, CompletionQueue receive, QueuePairConfig config)
            throws NotDirect {
        if (!type.isConnected() && type != QueuePairType.UD) {
            throw new NotDirect("it is of type " + type + ", and only RC, UC and UD can be");
        }
        if (config.sharedReceiveQueue() != null) {
            throw new NotDirect("it has a shared receive queue");
        }
        if (config.extendedMask() != 0) {
            throw new NotDirect("it has creation flags, a TSO header, or extended posting");
        }
        if (config.factory() != null) {
            throw new NotDirect("rdma_cm has created it");
        }
        send.checkDirect();
        receive.checkDirect();
    }

    private static DirectQueues take(
            QueuePairType type,
            MemorySegment qp,
            QueuePairCapabilities granted,
            CompletionQueue send,
            CompletionQueue receive,
            QueuePairConfig config)
            throws NotDirect {
        DeviceContext context = send.context();
        Mlx5Library library = context.mlx5();
        DirectQueues queues = DirectQueues.take(
                library,
                qp,
                new DirectQueues.Traits(
                        QueuePair.number(qp),
                        type == QueuePairType.UD,
                        context.attributes().atomicCap() != AtomicCapability.NONE,
                        config.signalAll(),
                        granted.maxSendWr(),
                        granted.maxRecvWr(),
                        granted.maxRecvSge(),
                        granted.maxInline()));
        boolean complete = false;
        try {
            CompletionRing ofSends = send.pollByJava(library);
            queues.completeIn(ofSends, receive.pollByJava(library));
            complete = true;
            return queues;
        } finally {
            if (!complete) {
                queues.close();
            }
        }
    }

    /**
     * Notes that libmlx5 drives a queue pair, and so its BlueFlame register, if direct ones were asked for.
     *
     * @return null if there is nothing to note
     * @throws IllegalStateException if direct queue pairs have its register
     */
    static RegisterUse ofDriver(Mlx5Library library, QueuePair qp) {
        if (library == null || !qp.hasRegister()) {
            return null;
        }
        try {
            return RegisterUse.of(library, qp.handle());
        } catch (NotDirect e) {
            throw new IllegalStateException(qp + " cannot be created: " + e.getMessage(), e);
        }
    }
}
