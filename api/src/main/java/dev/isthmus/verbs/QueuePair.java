// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.bindings.ibverbs.ibv_qp;
import dev.isthmus.internal.Deadline;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.Trace;
import dev.isthmus.internal.mlx5.DirectQueues;
import dev.isthmus.internal.mlx5.Mlx5Library;
import dev.isthmus.internal.mlx5.RegisterUse;
import dev.isthmus.internal.verbs.BareQueuePair;
import dev.isthmus.internal.verbs.CmStateChange;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.ExtendedSend;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.attributes.TransportType;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
 * A queue pair: {@code struct ibv_qp}. Post send requests and receives here; they complete in its completion queues.
 *
 * <p>Its sends belong to one thread at a time, and so do its receives. At first both belong to the thread that created
 * it: see {@link #handOver}. The thread that polls can post receives while another sends: see {@link #handOverSends}.
 * Methods that post neither, such as {@link #modify} and {@link #close}, need a thread that owns both. The program that
 * creates it owns it, and closes it before its protection domain and completion queues.
 */
public final class QueuePair implements AutoCloseable {

    /**
     * The number to which you send datagrams for a multicast group, in place of a queue pair's: see
     * {@link SendRequest#to}. It is the highest number of 24 bits.
     */
    public static final int MULTICAST = 0xff_ffff;

    static {
        Natives.of(QueuePair.class)
                .exposes(MemorySegment.class, QueuePair::handle)
                .exposes(Lifetime.class, QueuePair::lifetime)
                .exposes(OwnerThread.class, qp -> qp.receives.owner) // owning either of both keeps it open
                .isCreatedFrom(BareQueuePair.class, QueuePairCreation::bare)
                .accepts(CmStateChange.class, (qp, change) -> qp.state.announce(QueuePairState.of(change.state())));
    }

    private final DeviceContext context;
    private final ProtectionDomain pd; // null for XRC_RECV
    private final CompletionQueue sendCompletions; // null for XRC_RECV
    private final CompletionQueue receiveCompletions; // null for both XRC types
    private final SharedReceiveQueue shared; // null if the queue pair has its own receives
    private final QueuePairType type;
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final Runnable destroy;
    private final int qpNum;
    private final QueuePairControl control;
    private final BringUp bringUp;
    private final MulticastGroups groups;
    private final Drain drain;
    private boolean mayHaveSent; // since RESET: a post was checked and allowed
    private boolean hasBeenInit; // since RESET: it has been in INIT, as far as this side knows
    private boolean hasBeenReady; // and in RTS
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final RecordedState state = new RecordedState();
    private int outstandingSends; // that its completion queue must have capacity for
    private int outstandingReceives;
    private QueuePairCapabilities capabilities;
    private int port; // 0 until it is set
    private long maxDatagram = Long.MAX_VALUE; // until the port is known
    private SendBatch batch; // null unless it was created for batches
    private boolean inBatch;
    private boolean ledByCm; // which does not announce each state
    private volatile Object attachment; // the program's own; null if there is none
    private final DirectQueues direct; // null if the driver posts
    private RegisterUse register; // null unless direct queue pairs may not use the same

    /**
     * Wraps an existing C object.
     *
     * @param pd null for XRC_RECV
     * @param sendCompletions null for XRC_RECV
     * @param receiveCompletions null for XRC_RECV and XRC_SEND
     * @param shared null if it has receives of its own
     * @param destroy destroys the C object; null for {@code ibv_destroy_qp}
     * @param direct what Java itself writes to; null if the driver posts
     */
    QueuePair(
            DeviceContext context,
            ProtectionDomain pd,
            CompletionQueue sendCompletions,
            CompletionQueue receiveCompletions,
            SharedReceiveQueue shared,
            QueuePairType type,
            Lifetime lifetime,
            MemorySegment handle,
            QueuePairCapabilities capabilities,
            Runnable destroy,
            DirectQueues direct) {
        this.context = context;
        this.direct = direct;
        this.pd = pd;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        this.shared = shared;
        this.type = type;
        this.lifetime = lifetime;
        this.handle = handle;
        this.qpNum = number(handle);
        this.control = new QueuePairControl(lifetime, handle, context.ops(), toString());
        this.bringUp = new BringUp(this, context);
        this.groups = new MulticastGroups(lifetime, handle, toString());
        this.drain = new Drain(this, sendCompletions, receiveCompletions);
        ContextOps ops = context.ops();
        this.sends = SendQueue.of(
                this,
                new OwnerThread("the send queue of " + this, lifetime),
                this::checkCanSend,
                ops.postSend(),
                direct);
        var receiver = new OwnerThread("the receive queue of " + this, lifetime);
        this.receives = direct != null
                ? ReceiveQueue.direct(this, receiver, this::checkCanReceive, ops.postReceive(), direct)
                : ReceiveQueue.of(
                        "ibv_post_recv",
                        this,
                        receiver,
                        this::checkCanReceive,
                        pd,
                        ops.postReceive(),
                        handle.address());
        this.destroy = destroy != null ? destroy : () -> VerbsCall.destroy(Libibverbs.DESTROY_QP, handle, toString());
        setCapabilities(capabilities);
    }

    /** The number of a C object. */
    static int number(MemorySegment handle) {
        return ibv_qp.qp_num(NativeCall.sized(handle, ibv_qp.sizeof()));
    }

    /** Whether libmlx5 gives it a register: not for XRC_RECV, nor for receive scaling, which post nothing. */
    boolean hasRegister() {
        return sendCompletions != null;
    }

    /** Notes which register the driver uses for it, as direct queue pairs were asked for. */
    void noteRegister(Mlx5Library library) {
        if (direct == null && register == null) {
            register = Directness.ofDriver(library, this);
        }
    }

    /** Adds requests that may be outstanding, for which the completion queues must have capacity. */
    void reserveOutstanding(int sends, int receives) {
        outstandingSends += sends;
        outstandingReceives += receives;
        if (sendCompletions != null) {
            sendCompletions.capacityCheck().add(sends);
        }
        if (receiveCompletions != null) {
            receiveCompletions.capacityCheck().add(receives);
        }
    }

    /** Sets its capacities. */
    private void setCapabilities(QueuePairCapabilities granted) {
        capabilities = granted;
        if (batch != null) {
            batch.setCapabilities(granted);
        }
        sends.setCapabilities(granted);
        // Some drivers would post to a queue that does not exist.
        receives.setCapacities(type.receives() && shared == null ? granted.maxRecvWr() : 0, granted.maxRecvSge());
    }

    /**
     * Its protection domain.
     *
     * @return the domain; null for XRC_RECV, which is in an XRC domain
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /**
     * Its transport service.
     *
     * @return the type
     */
    public QueuePairType type() {
        return type;
    }

    /**
     * Whether Java itself writes to its queues, and polls its completion queues: {@link QueuePairConfig#direct}.
     *
     * @return false if the driver does
     */
    public boolean isDirect() {
        return direct != null;
    }

    /**
     * The number by which the peer names it.
     *
     * @return 24 bits
     */
    public int qpNum() {
        return qpNum;
    }

    /**
     * Keeps an object of the program's, such as a connection's state, to have it at hand when a completion arrives: see
     * {@link CompletionQueue#queuePair}. Any thread may call it, even after the close.
     *
     * @param object the object; null for none
     */
    public void attach(Object object) {
        attachment = object;
    }

    /**
     * What the program has attached. Any thread may call it; allocates nothing.
     *
     * @return the object; null if there is none
     */
    @HotPath
    public Object attachment() {
        return attachment;
    }

    /**
     * The capacities that the device granted.
     *
     * @return the capacities, not less than you asked for
     */
    public QueuePairCapabilities capabilities() {
        return capabilities;
    }

    /**
     * The state to which it was last brought, or which it had when it was last queried. An error can have brought it to
     * ERR since: {@link #query} asks the device.
     *
     * @return the state
     */
    public QueuePairState state() {
        return state.latest();
    }

    /**
     * Records the state to which rdma_cm has brought it. Called by the owner of either queue; each queue then checks by
     * itself what the state allows.
     */
    private void recordCmState() {
        // The program may have changed the state before the event was taken, so that librdmacm could not;
        // libibverbs knows the state. On iWARP it does not, as the kernel brings the queue pair up.
        state.recordAnnounced(next ->
                record(isIwarp() ? next : QueuePairState.of(ibv_qp.state(NativeCall.sized(handle, ibv_qp.sizeof())))));
    }

    /** Notes the port and the state in which rdma_cm has created it. */
    void setInitialState(int atPort, QueuePairState in) {
        port = atPort;
        ledByCm = true;
        stateReached(in);
    }

    /**
     * Brings the queue pair to a state: {@code ibv_modify_qp}. Blocks for a system call.
     *
     * @param transition the state, and the attributes that the step must and may set
     * @throws IllegalStateException if this is closed, or the state cannot follow the present one, or a
     *     {@link SendBatch} is started, or this thread has an open poll of an {@link
     *     dev.isthmus.verbs.cqex.ExtendedCompletionQueue} into which it completes
     * @throws IllegalArgumentException if attributes are missing, or cannot be set in this step; the message names them
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if the call fails, for example because there is no path to the peer
     */
    public void modify(QueuePairTransition transition) {
        checkOwner();
        checkNoOpenPoll();
        checkNoBatch();
        recordCmState();
        if (isIwarp()) { // iWARP needs other attributes, or none, as its connection manager does the work
            TransitionRules.checkState(toString(), type, transition.from(state.recorded()), transition.state());
        } else {
            TransitionRules.check(
                    toString(), type, transition.from(state.recorded()), transition.state(), transition.attributes());
        }
        modifyUnchecked(transition);
    }

    /** Like {@link #modify}, but leaves the refusal to C. */
    void modifyUnchecked(QueuePairTransition transition) {
        QueuePairCapabilities granted = control.modify(transition);
        if (granted != null) {
            setCapabilities(granted);
        }
        if (transition.sets(QueuePairAttribute.PORT)) {
            port = transition.port();
        }
        stateReached(transition.state());
    }

    /** Notes a state that the device has reached, on the thread that owns both queues. */
    private void stateReached(QueuePairState next) {
        record(next);
        mayHaveSent &= next != QueuePairState.RESET;
        requireRecheck();
    }

    private void record(QueuePairState next) {
        if (type == QueuePairType.UD && port != 0) {
            maxDatagram = context.port(port).activeMtu().bytes();
        }
        hasBeenInit = next != QueuePairState.RESET && (hasBeenInit || next.hasBeenInit());
        hasBeenReady = next != QueuePairState.RESET && (hasBeenReady || next.hasBeenReady());
        if (direct != null) {
            switch (next) {
                case RESET -> direct.begin();
                case RTS -> direct.openSends();
                default -> {}
            }
        }
        state.record(next); // last, so that a thread that sees the state also sees the datagram limit
    }

    /**
     * Asks the device for the attributes: {@code ibv_query_qp}. Blocks for a system call.
     *
     * @return the attributes as they are now
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws IllegalStateException if this is closed, or a {@link SendBatch} is started
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public QueuePairAttributes query() {
        checkOwner();
        checkNoBatch();
        recordCmState();
        QueuePairAttributes result = control.query();
        if (!isIwarp() || result.port() != 0) { // SoftiWARP omits port and state (Linux 6.1)
            port = result.port();
            stateReached(result.state());
        }
        return result;
    }

    private boolean isIwarp() {
        return context.device().transportType() == TransportType.IWARP;
    }

    /**
     * Ends all outstanding requests: brings the queue pair to ERR by {@code ibv_modify_qp}. Each posted request then
     * completes with {@link CompletionStatus#WR_FLUSH_ERR}, signaled or not, and so does each later one at once.
     *
     * <p>It does not wait for the completions: see {@link #drain}.
     *
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public void flush() {
        modify(QueuePairTransition.to(QueuePairState.ERR));
    }

    /**
     * Ends all outstanding requests, as {@link #flush} does, and waits until the last one has completed. From then on
     * all buffers are yours again. Polls both completion queues, which must belong to the calling thread, too. A queue
     * pair with a shared receive queue has no receives of its own: for those that it took, the device sends
     * {@link AsyncEventType#QP_LAST_WQE_REACHED}.
     *
     * {@snippet :
     * if (!qp.drain(done, i -> free(done.wrId(i)), Duration.ofSeconds(10))) {
     *     throw new IOException("the device does not end its requests");
     * }
     * }
     *
     * @param into the room that it polls into
     * @param each gets the index in it of each completion, also of other queue pairs that share a completion queue; an
     *     exception of it ends this call
     * @param timeout how long to wait
     * @return false if the time is over; you can call it again
     * @throws IllegalArgumentException if the timeout is not positive
     * @throws IllegalStateException if this is closed, or of type RAW_PACKET, which sends nothing without a buffer
     * @throws WrongThreadException if its sends, its receives, or a completion queue belong to another thread
     * @throws dev.isthmus.VerbsException if a call fails, as with SoftiWARP, which does not take the receive without a
     *     buffer that marks the end
     */
    @CheckReturnValue
    public boolean drain(WorkCompletions into, IntConsumer each, Duration timeout) {
        checkOwner();
        Deadline deadline = Deadline.after(timeout);
        recordCmState();
        if (state.recorded() == QueuePairState.RESET) {
            return true; // nothing was posted
        }
        if (type == QueuePairType.RAW_PACKET) {
            throw new IllegalStateException(this + " cannot be drained: poll until all that was posted has completed");
        }
        // Without sends or receives, it needs no marker.
        ReceiveRequest receive = canReceive() ? ReceiveRequest.prepare(0) : null;
        SendRequest send = mayHaveSent ? SendRequest.prepare(0) : null;
        if (type != QueuePairType.UD || send == null) {
            return drain.run(send, receive, into, each, deadline);
        }
        GidEntry gid = context.gidOfLoopback(Math.max(port, 1)); // 0 if it went from RESET to ERR
        try (var here = pd.createAddressHandle(AddressVector.global(gid, gid.gid()))) {
            send.to(here, qpNum, 0);
            return drain.run(send, receive, into, each, deadline);
        }
    }

    /**
     * Limits the rate of a raw packet queue pair in RTS, and its bursts: {@code ibv_modify_qp_rate_limit}.
     *
     * @param kbps kilobits per second; 0 is no limit
     * @param maxBurst the longest burst in bytes; 0 is up to the device
     * @param typicalPacket the length of a typical packet in bytes, 16 bits; 0 is up to the device
     * @throws IllegalArgumentException if one is negative, or the packet too long
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device does not have it
     */
    public void limitRate(int kbps, int maxBurst, int typicalPacket) {
        checkOwner();
        control.limitRate(kbps, maxBurst, typicalPacket);
    }

    /**
     * Whether the bytes of one message arrive in memory in order, so that a program may poll the last one:
     * {@code ibv_query_qp_data_in_order}.
     *
     * @param opcode SEND, RDMA_WRITE or RDMA_READ, or one of their kind
     * @return true if the device guarantees it; false if it is unknown
     * @throws IllegalArgumentException if it is UNKNOWN
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if its sends or its receives belong to another thread
     */
    public boolean isDataInOrder(SendOpcode opcode) {
        checkOwner();
        return control.isDataInOrder(opcode);
    }

    /**
     * The vendor options of the connection that this end offers or has accepted: {@code ibv_query_ece}.
     *
     * @return the options
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device has none
     */
    public ConnectionEstablishment ece() {
        checkOwner();
        return control.ece();
    }

    /**
     * Sets the vendor options of the connection, before RTR: {@code ibv_set_ece}.
     *
     * @param options what the peer's {@link #ece} returned
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device has none, or the vendor is 0
     */
    public void ece(ConnectionEstablishment options) {
        checkOwner();
        control.ece(options);
    }

    /**
     * What the peer needs to connect to this queue pair.
     *
     * @param local the GID that this end uses: see {@link DeviceContext#defaultGid}
     * @return this end's address; send it to the peer by any means
     * @throws IllegalStateException if the device is closed
     * @throws dev.isthmus.VerbsException if the port cannot be queried
     */
    public QueuePairAddress address(GidEntry local) {
        return bringUp.address(local);
    }

    /**
     * Connects an RC or UC queue pair to a peer with default settings: RESET to INIT to RTR to RTS. The peer does the
     * same; neither may send before the other is in RTR. Blocks for some system calls.
     *
     * <p>The settings are: all remote access that the device supports, to regions that allow it; the smaller of both
     * ends' MTUs; 67 ms until a packet is sent again; 7 retries; endless retries, 0.64 ms apart, while the peer has no
     * receive posted; as many READs at once as the device allows, up to 16. For other values use {@link #modify}. On UC
     * nothing is sent again, and the peer cannot read.
     *
     * <p>If a step fails, this stays in the state that it had reached. Bring it to RESET to try again.
     *
     * @param local the GID of this end, the same as passed to {@link #address}
     * @param remote what the peer's {@link #address} returned
     * @throws IllegalStateException if this is closed, of another type, or not in RESET, or this thread has an open
     *     poll of an {@link dev.isthmus.verbs.cqex.ExtendedCompletionQueue} into which it completes
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if a step fails, for example because there is no path to the peer
     */
    public void connect(GidEntry local, QueuePairAddress remote) {
        Runnable told = Trace.connecting(toString(), "queue pair " + remote.qpNum() + " at " + remote.gid());
        bringUp.connect(local, remote);
        told.run();
    }

    /**
     * Makes a UD queue pair ready to send and receive datagrams: RESET to INIT to RTR to RTS. Blocks for some
     * system calls.
     *
     * <p>A datagram is one packet: its message is no longer than the port's active MTU, and a post refuses a longer
     * one. A receive's buffer holds {@link GlobalRouteHeader#BYTES} more in front of the message.
     *
     * @param port the port, from 1
     * @param qkey the key that datagrams to this queue pair must carry; others are dropped
     * @throws IllegalStateException if this is closed, of another type, or not in RESET
     * @throws IllegalArgumentException if there is no such port
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if a step fails
     */
    public void bringUp(int port, int qkey) {
        bringUp.bringUp(port, qkey);
    }

    /**
     * Joins a UD queue pair to a multicast group: {@code ibv_attach_mcast}. From now on it receives what is sent to the
     * group, if the network delivers that to the port: on Ethernet the network device must have joined the group, too.
     * Blocks for a system call.
     *
     * @param group the GID of the group
     * @param lid the LID of the group; 0 on Ethernet
     * @throws IllegalStateException if this is closed, or not UD
     * @throws IllegalArgumentException if the GID is not that of a multicast group, the LID is out of range, or this is
     *     in the group already with another LID
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if the call fails, for example because the device has no room for more
     */
    public void attachMulticast(Gid group, int lid) {
        checkMulticast();
        groups.attach(group, lid);
    }

    /**
     * Leaves a multicast group: {@code ibv_detach_mcast}. Blocks for a system call. Closing a queue pair leaves all
     * its groups.
     *
     * @param group the GID of the group
     * @param lid the LID passed to {@link #attachMulticast}
     * @throws IllegalStateException if this is closed, or not UD
     * @throws IllegalArgumentException if the GID is not that of a multicast group, or the LID is out of range
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if the call fails, with EINVAL if it is not in the group
     */
    public void detachMulticast(Gid group, int lid) {
        checkMulticast();
        groups.detach(group, lid);
    }

    private void checkMulticast() {
        checkOwner();
        if (type != QueuePairType.UD) {
            throw new IllegalStateException(this + " cannot be in a multicast group: only UD can");
        }
    }

    /**
     * Posts a send request: {@code ibv_post_send}. Does not wait, allocates nothing. You can change the request and
     * post it again at once. Its buffers belong to the device until it has completed.
     *
     * @param request a request without another chained to it
     * @return false if the send queue is full: poll the completion queue, and post again
     * @throws WrongThreadException if the sends of this, the request, or the address handle or memory window that it
     *     names belong to another thread
     * @throws IllegalStateException if this, a region of the request, or the arena of a region is closed; or if the
     *     state does not allow sending, or the queue pair was created without room for sends
     * @throws IllegalArgumentException if the request has more buffers, or more inline data, than the queue pair takes,
     *     or another request chained to it; if the queue pair's type lacks its operation, or it lacks something, which
     *     the message names; if it is a datagram longer than the port's active MTU; if its address handle, its memory
     *     window, or a region, unless it is inline, belongs to another protection domain; if it is a READ or an atomic
     *     into a region without LOCAL_WRITE; or if it is inline, or a raw packet, from a region that was registered at
     *     another address
     * @throws dev.isthmus.VerbsException if the driver refuses the request, which is then not posted
     */
    @CheckReturnValue
    @HotPath
    public boolean tryPost(SendRequest request) {
        return sends.tryPost(request);
    }

    /**
     * Posts a send request for which the program has counted the room: like {@link #tryPost(SendRequest)}, but a full
     * queue is a mistake.
     *
     * @param request a request without another chained to it
     * @throws IllegalStateException also if the send queue is full
     */
    @HotPath
    public void post(SendRequest request) {
        if (!tryPost(request)) {
            throw full("send", capabilities.maxSendWr());
        }
    }

    private IllegalStateException full(String which, int room) {
        return new IllegalStateException("the " + which + " queue of " + this + " is full, which has room for " + room
                + " requests: poll its completions first, or use tryPost");
    }

    /**
     * Posts a chain of send requests in one call: {@code ibv_post_send}. Otherwise like {@link #tryPost(SendRequest)}.
     *
     * @param first the first request; the others follow by {@link WorkRequest#next(WorkRequest)}
     * @return null if all were taken, otherwise the first one that was not, because the send queue is full: poll the
     *     completion queue, and continue with that one
     * @throws IllegalArgumentException if the chain is longer than the send queue
     * @throws dev.isthmus.VerbsException if the driver refuses a request, with a message that says which; those before
     *     it are posted
     */
    @CheckReturnValue
    @HotPath
    public SendRequest tryPostChain(SendRequest first) {
        return sends.tryPostChain(first);
    }

    /**
     * Posts a receive: {@code ibv_post_recv}. Does not wait, allocates nothing. You can change the request and post it
     * again at once. Its buffers belong to the device until the receive has completed.
     *
     * @param request a request without another chained to it
     * @return false if the receive queue is full
     * @throws WrongThreadException if the receives of this, or the request, belong to another thread
     * @throws IllegalStateException if this, a region of the request, or the arena of a region is closed; or if the
     *     state is RESET, or the queue pair was created without room for receives or with a shared receive queue
     * @throws IllegalArgumentException if the request has more buffers than the queue pair takes, another request chained
     *     to it, or a region of another protection domain
     * @throws dev.isthmus.VerbsException if the driver refuses the request, which is then not posted
     */
    @CheckReturnValue
    @HotPath
    public boolean tryPost(ReceiveRequest request) {
        return receives.tryPost(request);
    }

    /**
     * Posts a receive for which the program has counted the room: like {@link #tryPost(ReceiveRequest)}, but a full
     * queue is a mistake.
     *
     * @param request a request without another chained to it
     * @throws IllegalStateException also if the receive queue is full
     */
    @HotPath
    public void post(ReceiveRequest request) {
        if (!tryPost(request)) {
            throw full("receive", capabilities.maxRecvWr());
        }
    }

    /**
     * Posts a chain of receives in one call: {@code ibv_post_recv}. Otherwise like {@link #tryPost(ReceiveRequest)}.
     *
     * @param first the first request; the others follow by {@link WorkRequest#next(WorkRequest)}
     * @return null if all were taken, otherwise the first one that was not, because the receive queue is full
     * @throws IllegalArgumentException if the chain is longer than the receive queue
     * @throws dev.isthmus.VerbsException if the driver refuses a request, with a message that says which; those before
     *     it are posted
     */
    @CheckReturnValue
    @HotPath
    public ReceiveRequest tryPostChain(ReceiveRequest first) {
        return receives.tryPostChain(first);
    }

    /**
     * The second way to post send requests: {@code ibv_qp_to_qp_ex}.
     *
     * @return the same object each time
     * @throws IllegalStateException if this was not created for it, by {@link QueuePairConfig#extendedPosting}
     */
    public SendBatch sendBatch() {
        if (batch == null) {
            throw new IllegalStateException(
                    this + " was not made for that: name the operations in extendedPosting() of its configuration");
        }
        return batch;
    }

    /** Prepares it for posting batches. */
    void postsBatches(MemorySegment extended, int operations, boolean softRoce) {
        batch = new SendBatch(
                this,
                new ExtendedSend(extended, (operations & SendOpcode.FLUSH.batchBit()) != 0),
                operations,
                softRoce);
        batch.setCapabilities(capabilities);
    }

    /** Blocks other posts until the batch has ended. Returns the longest possible message. */
    @HotPath
    long startBatch() {
        sends.owner.check();
        checkCanSend();
        sends.requireRecheck();
        inBatch = true;
        return type == QueuePairType.UD ? maxDatagram : Long.MAX_VALUE;
    }

    @HotPath
    void endBatch() {
        inBatch = false;
    }

    @HotPath
    void checkSender() {
        sends.owner.check();
    }

    /** Checks that the caller owns both queues, so that no other thread posts meanwhile. */
    void checkOwner() {
        sends.owner.check();
        receives.owner.check();
    }

    private void checkNoBatch() {
        if (inBatch) {
            throw new IllegalStateException(this + " has a batch that is started: complete() or abort() it first");
        }
    }

    /** Makes the next post check again whether the caller may post, as the owner or the state changes. */
    private void requireRecheck() {
        sends.requireRecheck();
        receives.requireRecheck();
    }

    private boolean canReceive() {
        return receives.hasRoom() && state.recorded().allowsReceives() && (hasBeenInit || ledByCm);
    }

    private boolean canSend() {
        // In ERR, libmlx5 takes none of a queue pair that has not been in RTS, and says that the queue is full; nor
        // does it
        // take receives of one that has not been in INIT.
        return sends.hasRoom() && state.recorded().allowsSends() && (hasBeenReady || ledByCm);
    }

    /** Checks that the state allows a send. Called once, until something changes. */
    @HotPath
    private void checkCanSend() {
        checkNoBatch();
        if (!canSend()) {
            recordCmState();
        }
        if (!canSend()) {
            throw new IllegalStateException(this + " is in " + state.recorded()
                    + (!type.sends() || sends.hasRoom()
                            ? ": sends can be posted from RTS on, and in ERR once it has been in RTS, of all types but XRC_RECV"
                            : " and was made with maxSendWr 0"));
        }
        mayHaveSent = true;
    }

    private void checkCanReceive() {
        if (!canReceive()) {
            recordCmState();
        }
        if (!canReceive()) {
            throw cannotReceive();
        }
    }

    private IllegalStateException cannotReceive() {
        return new IllegalStateException(
                shared != null
                        ? this + " takes its receives from " + shared + ": post them there"
                        : this + " is in " + state.recorded()
                                + (!type.receives() || receives.hasRoom()
                                        ? ": receives can be posted from INIT on, and in ERR once it has been in INIT, of all types but XRC"
                                        : " and was made with maxRecvWr 0"));
    }

    /** The longest possible datagram. */
    @HotPath
    long maxDatagram() {
        return maxDatagram;
    }

    /** The C object, for a call that posts a bind. Checks thread and state like any post. */
    MemorySegment handleForBind() {
        sends.checkPoster();
        if (direct != null) {
            throw new IllegalArgumentException(
                    this + " is direct, and binds no memory window: create it with direct(false)");
        }
        if (!type.isConnected()) {
            throw new IllegalArgumentException(this + " binds no memory window: only RC and UC do");
        }
        return handle;
    }

    /**
     * Gives the queue pair, its sends and its receives, to another thread: from now on only that one may post to it and
     * close it. The caller must make this visible to that thread like any other change, for example by starting the
     * thread. If an owner has ended, what it owned belongs to the first thread that uses it.
     *
     * @param next the new owner
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if the sends or the receives belong to another thread than the caller
     * @throws IllegalStateException if this is closed, or a {@link SendBatch} is started
     */
    public void handOver(Thread next) {
        checkOwner();
        handOverSends(next);
        handOverReceives(next);
    }

    /**
     * Gives the queue pair to whichever thread holds a lock: threads that take the lock use this in turn. Otherwise
     * like {@link #handOver}.
     *
     * <p>Always hold the lock when you use it. A thread without the lock is refused once another thread has used this,
     * but not before: until then both would use it at once, and the process may end.
     *
     * @param lock the thread that holds it may use this
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if the sends or the receives belong to another thread than the caller
     * @throws IllegalStateException if this is closed, or a {@link SendBatch} is started
     */
    public void shareUnder(ReentrantLock lock) {
        checkOwner();
        checkNoBatch();
        sends.owner.shareUnder(lock);
        receives.owner.shareUnder(lock);
        requireRecheck();
    }

    /**
     * Gives only the sends to another thread, with everything that posts them: {@link #tryPost(SendRequest)},
     * {@link #sendBatch} and {@link MemoryWindow#tryBind}. Otherwise like {@link #handOver}.
     *
     * @param next the new owner of the sends
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if the sends belong to another thread than the caller
     * @throws IllegalStateException if this is closed, or a {@link SendBatch} is started
     */
    public void handOverSends(Thread next) {
        sends.owner.check();
        checkNoBatch();
        sends.owner.handOver(next);
        sends.requireRecheck();
    }

    /**
     * Gives only the receives to another thread. Otherwise like {@link #handOver}.
     *
     * @param next the new owner of the receives
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if the receives belong to another thread than the caller
     * @throws IllegalStateException if this is closed
     */
    public void handOverReceives(Thread next) {
        receives.owner.handOver(next);
        receives.requireRecheck();
    }

    /** Refuses an open poll of this thread: it holds the lock under which drivers clean the completion queues. */
    private void checkNoOpenPoll() {
        if (sendCompletions != null) {
            sendCompletions.checkNoOpenPoll();
        }
        if (receiveCompletions != null) {
            receiveCompletions.checkNoOpenPoll();
        }
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Destroys the queue pair: {@code ibv_destroy_qp}. Requests that are still posted are dropped without a completion.
     * Once this has returned, the device no longer uses their buffers. It leaves its multicast groups first. Does
     * nothing if it is closed already.
     *
     * @throws IllegalStateException if it has flows, a {@link MemoryWindow} that it has bound is neither closed nor
     *     released, a {@link SendBatch} is started, or this thread has an open poll of an
     *     {@link dev.isthmus.verbs.cqex.ExtendedCompletionQueue} into which it completes
     * @throws WrongThreadException if its sends or its receives belong to another thread
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        receives.owner.close(sends.owner, () -> {
            checkNoOpenPoll();
            checkNoBatch();
            groups.leaveAll();
            requireRecheck();
            destroy.run();
            if (direct != null) {
                direct.close();
            }
            if (register != null) {
                register.end();
            }
            context.objects().remove(handle, this);
            context.queuePairs().remove(qpNum, this);
            reserveOutstanding(-outstandingSends, -outstandingReceives);
        });
    }

    /** The class, the device's name, the type, and the number. */
    @Override
    public String toString() {
        return "QueuePair(" + lifetime.name() + ", qpNum " + qpNum + ")";
    }
}
