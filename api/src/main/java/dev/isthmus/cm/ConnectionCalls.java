// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.bindings.ibverbs.rdma_cm_id;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.verbs.CmStateChange;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The calls into C on a connection id, one at a time, and the state they need: its handle, its phase, its queue pair.
 */
final class ConnectionCalls {

    /** Writes the arguments of a call to memory of that call. */
    interface Arguments {
        Object[] in(CmCall call);
    }

    private final Lifetime lifetime;
    private final MemorySegment handle;

    /** Held during a call into C on the id, except the one that destroys it. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile DeviceContext device; // null until it is asked for
    private volatile QueuePair queuePair; // null when there is none
    private volatile Phase phase;

    ConnectionCalls(String name, MemorySegment handle, Phase phase) {
        this.handle = NativeCall.sized(handle, rdma_cm_id.sizeof());
        this.lifetime = new Lifetime("ConnectionId", name);
        this.phase = phase;
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Sets the queue pair, while no call on the id runs; null for none. */
    void queuePair(QueuePair made) {
        queuePair = made;
    }

    void setPhase(Phase next) {
        phase = next;
    }

    /** Notes what an event reports, on the thread that takes it. */
    void onEvent(CmEvent event) {
        Phase next = Phase.after(event.type());
        if (next != null) {
            phase = next;
        }
        if (event instanceof CmEvent.Established) {
            setQueuePairState(QueuePairState.RTS);
        } else if (event instanceof CmEvent.Rejected || event instanceof CmEvent.ConnectError) {
            setQueuePairState(QueuePairState.ERR);
        }
    }

    /** Gives the queue pair, if there is one, the state to which librdmacm has brought it. */
    void setQueuePairState(QueuePairState state) {
        QueuePair qp = queuePair;
        if (qp != null) {
            Natives.deliver(qp, new CmStateChange(state.code()));
        }
    }

    /** Runs an action while no call on the id runs. */
    <T> T exclusively(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** Like {@link #exclusively(Supplier)}. */
    void exclusively(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Begins a call on the id; the id's phase explains an EINVAL. The caller is {@link #exclusively}. */
    CmCall begin() {
        Phase before = phase;
        return new CmCall(lifetime).explain(errno -> help(before, errno));
    }

    /** Calls a function on the id that does not change the phase. */
    void invoke(NativeFunction f, String what, Arguments arguments) {
        invoke(f, what, null, arguments);
    }

    /** Calls a function on the id that, unless it fails, starts a phase. */
    void invoke(NativeFunction f, String what, Phase next, Arguments arguments) {
        exclusively(() -> invokeExclusively(f, what, next, arguments));
    }

    /**
     * Answers the peer like {@link #invoke}, but only if there is something to answer. Otherwise the kernel would take
     * the answer for the end of the current exchange, and yet go on with that exchange, so that {@code rdma_destroy_id}
     * waits until its retries are used up (102 s on Linux 6.1).
     *
     * @param answered the phases in which there is something to answer
     */
    void answer(NativeFunction f, String what, Phase next, Arguments arguments, Phase... answered) {
        exclusively(() -> {
            Phase now = phase;
            if (!List.of(answered).contains(now)) {
                lifetime.check();
                throw new IllegalStateException(this + " has nothing that " + f.name() + " answers: " + now.explain());
            }
            invokeExclusively(f, what, next, arguments);
        });
    }

    /** Keeps the queue pair open during the call, as C may use it. */
    private void invokeExclusively(NativeFunction f, String what, Phase next, Arguments arguments) {
        Phase before = phase;
        try (var call = begin();
                var _ = queuePair == null ? null : new NativeCall(Natives.lifetime(queuePair))) {
            if (next != null) {
                phase = next; // before the event can be taken
            }
            boolean done = false;
            try {
                call.check(f, what.isEmpty() ? toString() : this + ", " + what, arguments.in(call));
                done = true;
            } finally {
                if (!done && next != null) {
                    phase = before;
                }
            }
        }
    }

    private static String help(Phase phase, int errno) {
        if (errno != Errno.EINVAL) {
            return "";
        }
        return phase.explain() + ", or a value is out of range: at most 56 bytes of private data with a request on RoCE"
                + " and InfiniBand, depths as the device's attributes have them";
    }

    /** The device to which C has bound the id; null if there is none. */
    DeviceContext device() {
        DeviceContext known = device;
        if (known == null) {
            try (var _ = new CmCall(lifetime)) {
                MemorySegment verbs = rdma_cm_id.verbs(handle);
                known = verbs.address() == 0 ? null : CmDevices.of(verbs);
                device = known;
            }
        }
        return known;
    }

    /** The device, which the call needs; throws if there is none. */
    DeviceContext requireDevice(String call) {
        DeviceContext known = device();
        if (known == null) {
            throw new IllegalStateException(
                    this + " has no device yet, so " + call + "() is too early: " + phase.explain());
        }
        return known;
    }

    /**
     * Refuses calls by which the kernel would break pending requests (Linux 6.1). The caller is {@link #exclusively}.
     *
     * @param call its name
     */
    void requireNotListening(String call) {
        if (phase == Phase.LISTENING) {
            throw new IllegalStateException(
                    this + " listens: requests that wait would be lost. " + call + "() comes before listen()");
        }
    }

    /** Refuses calls that librdmacm makes itself for an id with a queue pair. */
    void requireNoQueuePair(String sentence) {
        if (queuePair != null) {
            throw new IllegalStateException(this + " has a queue pair, " + sentence);
        }
    }

    /** The id as it appears in error messages. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
