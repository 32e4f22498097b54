// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.verbs.attributes.AtomicCapability;
import dev.isthmus.verbs.attributes.DeviceCapability;
import dev.isthmus.verbs.attributes.Mtu;
import dev.isthmus.verbs.attributes.PortAttributes;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Takes one queue pair from RESET to RTS with default settings. Its only state is the first packet sequence number, on
 * which both ends must agree.
 */
final class BringUp {

    private static final int MAX_24_BITS = 0xff_ffff;

    /** More READs at once help nobody, and take device memory. */
    private static final int MAX_READ_DEPTH = 16;

    private static final int MIN_RNR_TIMER = 12; // 0.64 ms
    private static final int TIMEOUT = 14; // 67 ms
    private static final int RETRIES = 7;
    private static final int RETRY_FOREVER = 7; // RNR retries

    private final QueuePair qp;
    private final DeviceContext context;
    private final int psn = ThreadLocalRandom.current().nextInt(MAX_24_BITS + 1);

    BringUp(QueuePair qp, DeviceContext context) {
        this.qp = qp;
        this.context = context;
    }

    /** What the peer needs to know to connect. */
    QueuePairAddress address(GidEntry local) {
        PortAttributes port = context.port(local.port());
        return new QueuePairAddress(qp.qpNum(), psn, port.lid(), local.gid(), port.activeMtu(), readDepth());
    }

    /** How many of the peer's READs and atomics this end serves at once. */
    private int readDepth() {
        return Math.clamp(context.attributes().maxQpRdAtomic(), 0, MAX_READ_DEPTH);
    }

    /** Connects an RC or UC queue pair. */
    void connect(GidEntry local, QueuePairAddress remote) {
        checkFresh(qp.type().isConnected(), "connected");
        QueuePairAddress here = address(local);
        Mtu mtu = here.mtu().compareTo(remote.mtu()) <= 0 ? here.mtu() : remote.mtu();
        boolean reliable = qp.type() == QueuePairType.RC;
        qp.modify(QueuePairTransition.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(local.port())
                .access(remoteAccess(reliable)));
        var toRtr = QueuePairTransition.to(QueuePairState.RTR)
                .path(AddressVector.global(local, remote.gid()).withDlid(remote.lid()))
                .pathMtu(mtu)
                .destQpNum(remote.qpNum())
                .rqPsn(remote.psn());
        var toRts = QueuePairTransition.to(QueuePairState.RTS).sqPsn(psn);
        if (reliable) {
            toRtr.maxDestRdAtomic(here.readDepth()).minRnrTimer(MIN_RNR_TIMER);
            toRts.timeout(TIMEOUT)
                    .retryCount(RETRIES)
                    .rnrRetry(RETRY_FOREVER)
                    .maxRdAtomic(Math.min(context.attributes().maxQpInitRdAtomic(), remote.readDepth()));
        }
        qp.modify(toRtr);
        qp.modify(toRts);
    }

    private AccessFlag[] remoteAccess(boolean reliable) {
        Set<AccessFlag> access = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        if (reliable) {
            access.add(AccessFlag.REMOTE_READ);
            if (context.attributes().atomicCap() != AtomicCapability.NONE) {
                access.add(AccessFlag.REMOTE_ATOMIC);
            }
            Set<DeviceCapability> capabilities = context.extendedAttributes().capabilities();
            if (capabilities.contains(DeviceCapability.FLUSH_GLOBAL)) {
                access.add(AccessFlag.FLUSH_GLOBAL);
            }
            if (capabilities.contains(DeviceCapability.FLUSH_PERSISTENT)) {
                access.add(AccessFlag.FLUSH_PERSISTENT);
            }
        }
        return access.toArray(AccessFlag[]::new);
    }

    /** Makes a UD queue pair ready. */
    void bringUp(int port, int qkey) {
        checkFresh(qp.type() == QueuePairType.UD, "brought up");
        qp.modify(QueuePairTransition.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(port)
                .qkey(qkey));
        qp.modify(QueuePairTransition.to(QueuePairState.RTR));
        qp.modify(QueuePairTransition.to(QueuePairState.RTS).sqPsn(psn));
    }

    private void checkFresh(boolean rightType, String what) {
        qp.checkOwner(); // first, as only the owner may read the state
        if (!rightType) {
            throw new IllegalStateException(qp + " is not of a type that can be " + what);
        }
        if (qp.state() != QueuePairState.RESET) {
            throw new IllegalStateException(qp + " is in " + qp.state() + ", and can be " + what + " from RESET only");
        }
    }
}
