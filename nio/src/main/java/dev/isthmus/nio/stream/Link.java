// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.CmException;
import dev.isthmus.RdmaException;
import dev.isthmus.VerbsException;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.attributes.TransportType;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The native objects of a stream: a completion channel and queue, memory, the queue pair of its connection id, and a
 * protection domain of its own, so that the keys given to the peer reach nothing else.
 */
final class Link {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");
    private static final AtomicBoolean WARNED = new AtomicBoolean(); // about the memory limit, once
    private static final int ENOMEM = 12;
    private static final int FOR_EVER = 7; // of retries

    private final Service service;
    private final ConnectionId id;
    private final Deque<AutoCloseable> made = new ArrayDeque<>(); // the last is closed first
    private final StreamGroup group; // null if it shares nothing
    private final boolean connects; // this side, to the peer
    private GroupDevice groupDevice; // of the group; null if there is none
    private final ProtectionDomain pd;
    private final CompletionChannel channel; // the group's own is not for streams: null
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private StreamOptions options;
    private Memory memory;
    private boolean keepsMemory; // something of it is lent
    private final Set<RegisteredMemory> mapped = new HashSet<>(); // that the peer may write into

    /**
     * Creates everything for an id that has a device. Blocks for some system calls.
     *
     * @param group whose queue and domain it uses; null for its own
     * @param connects whether this side connects to the peer
     */
    Link(Service service, ConnectionId id, StreamOptions wanted, StreamGroup group, boolean connects)
            throws IOException {
        this.service = service;
        this.id = id;
        this.group = group;
        this.connects = connects;
        boolean complete = false;
        try {
            DeviceContext device = id.device();
            options = wanted.within(device.attributes().maxQpWr());
            if (options.protocol() == StreamProtocol.VALKEY && isIwarp()) {
                throw new IOException(device + " cannot write with immediate values, as Valkey's protocol does");
            }
            int entries = options.sendQueue() + options.receiveQueue() + ReceiveSide.SPARE;
            GroupQueue shared = group == null ? null : group.join(device, entries);
            if (shared != null) {
                made(() -> group.leave(shared, entries));
                groupDevice = shared.device();
            }
            pd = shared != null ? shared.device().pd() : made(device.allocateProtectionDomain());
            made(() -> mapped.forEach(Link::close)); // once the peer can no longer write to it
            memory = allocate();
            made(this::closeMemory);
            int inline = isIwarp() ? Math.max(options.inline(), Memory.MESSAGE_BYTES) : options.inline();
            if (shared != null) {
                channel = null;
                completions = shared.completions();
            } else {
                channel = made(device.createCompletionChannel());
                completions = made(device.createCompletionQueue(entries, config -> config.channel(channel)));
            }
            queuePair = made(createQueuePair(inline));
            if (isIwarp() && queuePair.capabilities().maxInline() < Memory.MESSAGE_BYTES) {
                throw new IOException(device + " cannot send inline, as rsocket does on iWARP");
            }
            complete = true;
        } catch (RdmaException | IllegalStateException e) { // the latter if the group or the id is closed
            throw new IOException(e.getMessage(), e);
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    private <T extends AutoCloseable> T made(T object) {
        made.push(object);
        return object;
    }

    private QueuePair createQueuePair(int inline) {
        Consumer<QueuePairConfig> size = config -> config.maxSendWr(options.sendQueue())
                .maxRecvWr(options.receiveQueue() + ReceiveSide.SPARE)
                .maxSendSge(1)
                .maxRecvSge(1)
                .maxInline(inline);
        if (!isManual()) {
            return id.createQueuePair(pd, completions, completions, size);
        }
        QueuePair one = pd.createQueuePair(QueuePairType.RC, completions, completions, size);
        boolean ready = false;
        try {
            one.modify(id.transition(QueuePairState.INIT).access(AccessFlag.REMOTE_WRITE));
            ready = true;
            return one;
        } finally {
            if (!ready) {
                one.close();
            }
        }
    }

    /**
     * Whether the queue pair's states are set here, and not by rdma_cm. A Valkey server lets its clients' devices not try
     * again when its queue of receives is empty: rdma_cm would obey, and the connection end whenever the server is behind.
     */
    boolean isManual() {
        return connects && options.protocol() == StreamProtocol.VALKEY;
    }

    /** The peer has accepted: makes the queue pair ready. */
    void ready() {
        queuePair.modify(id.transition(QueuePairState.RTR));
        queuePair.modify(id.transition(QueuePairState.RTS).rnrRetry(FOR_EVER));
        id.establish();
    }

    /** Ends the connection. */
    void disconnect() {
        try {
            id.disconnect();
        } catch (CmException | IllegalStateException e) {
            LOG.log(Level.DEBUG, () -> id + " was no longer connected", e);
        }
    }

    /** Ends all requests of a queue pair that is not rdma_cm's: otherwise a disconnect does. */
    void stop() {
        try {
            queuePair.modify(QueuePairTransition.to(QueuePairState.ERR));
        } catch (VerbsException | IllegalStateException e) {
            LOG.log(Level.DEBUG, () -> queuePair + " was closed already", e);
        }
    }

    /** Whether this side has connected to the peer. */
    boolean connects() {
        return connects;
    }

    /** Allocates rings as large as the limits allow. */
    private Memory allocate() throws IOException {
        while (true) {
            try {
                return Memory.allocate(pd, options);
            } catch (VerbsException e) {
                StreamOptions smaller = e.errno() == ENOMEM ? options.smaller() : null;
                if (smaller == null) {
                    throw new IOException("no memory can be pinned for a socket over RDMA: " + e.getMessage(), e);
                }
                if (WARNED.compareAndSet(false, true)) {
                    LOG.log(
                            Level.WARNING,
                            "a socket over RDMA may not pin {0} bytes, so some sockets get smaller buffers from now on;"
                                    + " raise ulimit -l, or lower isthmus.nio.sendBuffer and receiveBuffer ({1})",
                            options.sendBuffer() + options.receiveBuffer(),
                            e.getMessage());
                }
                options = smaller;
            }
        }
    }

    /** Memory that the peer may write into, until it is unmapped or this is closed. */
    RegisteredMemory map(long bytes) throws IOException {
        try {
            RegisteredMemory made = pd.allocate(bytes, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            mapped.add(made);
            return made;
        } catch (VerbsException e) {
            throw new IOException("no memory can be pinned for a peer: " + e.getMessage(), e);
        }
    }

    /** Deregisters and frees it. */
    void unmap(RegisteredMemory memory) {
        memory.close();
        mapped.remove(memory);
    }

    /** Lets whichever thread holds the lock use everything. */
    void shareUnder(ReentrantLock lock) {
        if (group == null) {
            completions.shareUnder(lock);
        }
        queuePair.shareUnder(lock);
    }

    /** What its group has of its device; null if it has no group. */
    GroupDevice groupDevice() {
        return groupDevice;
    }

    Service service() {
        return service;
    }

    /** The group that it belongs to; null if none. */
    StreamGroup group() {
        return group;
    }

    ConnectionId id() {
        return id;
    }

    StreamOptions options() {
        return options;
    }

    Memory memory() {
        return memory;
    }

    CompletionChannel channel() {
        return channel;
    }

    CompletionQueue completions() {
        return completions;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    boolean isIwarp() {
        return id.device().device().transportType() == TransportType.IWARP;
    }

    private void closeMemory() {
        if (keepsMemory) {
            group.keep(); // the domain
        } else {
            close(memory);
        }
    }

    /** The memory stays after {@link #close}, until {@link #releaseMemory}. For a stream with a group. */
    void keepMemory() {
        keepsMemory = true;
    }

    /** Frees what it has kept. */
    void releaseMemory() {
        close(memory);
        group.leave();
    }

    /** Destroys everything. Failures are logged, as no caller is left to handle them. */
    void close() {
        while (!made.isEmpty()) {
            close(made.pop());
        }
        close(id);
    }

    static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (Exception e) {
            LOG.log(Level.WARNING, () -> object + " cannot be closed", e);
        }
    }
}
