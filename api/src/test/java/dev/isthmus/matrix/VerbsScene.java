// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.CmException;
import dev.isthmus.RdmaException;
import dev.isthmus.buffers.RegionCache;
import dev.isthmus.buffers.RegionPool;
import dev.isthmus.cm.Admission;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.CmEventType;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.Connector;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.GroupHandler;
import dev.isthmus.cm.GroupMember;
import dev.isthmus.cm.Listener;
import dev.isthmus.cm.ListenerConfig;
import dev.isthmus.cm.MulticastMembership;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.CompletionQueueConfig;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.MemoryWindow;
import dev.isthmus.verbs.MemoryWindowType;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendBatch;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.SharedReceiveQueueConfig;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * What a cell of the matrices of verbs and cm acts on: two connected queue pairs of one thread, and whatever the cell
 * needs besides, which is created when it is first asked for.
 */
final class VerbsScene {

    static final int BYTES = 4096;

    /** A peer's answer that nobody waits for. */
    static final Duration MOMENT = Duration.ofMillis(50);

    /** The first number of a queue pair that there is not. */
    private static final int FIRST_NUMBER = 0x80_0000;

    static final Duration DEADLINE = TestDeadlines.ofSeconds(10);

    private static final Pattern LACKS = Pattern.compile(
            "EOPNOTSUPP|rdma_cm interface is missing|the device has not so much|the device may not fault memory in on demand");

    private static int asked;

    final DeviceContext context = Device.first().open();
    final GidEntry gid = context.defaultGid(1);
    final InetAddress address = gid.gid().toInetAddress();
    final Arena arena = Arena.ofShared();
    final MemorySegment segment = arena.allocate(2 * BYTES, 8);
    final ProtectionDomain pd = context.allocateProtectionDomain();
    final CompletionChannel channel = context.createCompletionChannel();
    final CompletionQueue cq;
    final SharedReceiveQueue srq;
    final MemoryRegion region;
    final QueuePair one;
    final QueuePair two;
    final WorkCompletions done = WorkCompletions.allocate(16);

    // What a call may find in a handler, and what handlers do.
    Connection connection;
    GroupMember member;
    ConnectionId id;
    Runnable onAdmission = () -> {};
    Runnable onQueuePair = () -> {};
    Runnable onParameters = () -> {};
    Runnable onPrepare = () -> {};
    Runnable onConnected = () -> {};
    Runnable onCompleted = () -> {};
    Runnable onEnded = () -> {};

    private final Map<String, Object> objects = new LinkedHashMap<>();
    private final List<AutoCloseable> made = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private CompletionQueueConfig queueConfig;
    private QueuePairConfig pairConfig;
    private SharedReceiveQueueConfig sharedConfig;

    VerbsScene() {
        cq = context.createCompletionQueue(256, config -> {
            queueConfig = config;
            config.channel(channel).direct(false); // it is shared with a queue pair that cannot be
        });
        srq = pd.createSharedReceiveQueue(config -> sharedConfig = config.maxWr(16));
        region = pd.register(
                segment, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.MW_BIND);
        one = pd.createQueuePair(QueuePairType.RC, cq, cq, config -> pairConfig = config.maxInline(64));
        two = pd.createQueuePair(QueuePairType.RC, cq, cq, config -> config.sharedReceiveQueue(srq));
        one.connect(gid, two.address(gid));
        two.connect(gid, one.address(gid));
        made.addAll(List.of(one, two, region, srq, cq, channel, pd, context));
    }

    @SuppressWarnings("unchecked") // each name has one maker
    private <T> T the(String name, Supplier<T> maker) {
        T object = (T) objects.get(name);
        if (object == null) {
            object = maker.get();
            objects.put(name, object);
            own(object);
        }
        return object;
    }

    /** Closes it in the end, if it is to be closed. */
    <T> T own(T object) {
        if (object instanceof AutoCloseable closeable && !made.contains(closeable)) {
            made.addFirst(closeable);
        }
        return object;
    }

    /** What a call has returned may have to be closed, or released. */
    void returned(Call call, Object result) {
        String name = call.executable().getName();
        if (result instanceof CmEvent event && event.type() == CmEventType.CONNECT_REQUEST) {
            own(event.id());
        } else if (result instanceof Number number && number.longValue() >= 0 && name.endsWith("cquire")) {
            (call.type() == RegionPool.class ? slices : leases).add(number.longValue());
        } else if (name.equals("retain")) {
            slices.add(slices.getFirst());
        } else if (name.equals("release") && call.type() == RegionPool.class) {
            slices.removeFirst();
        } else if (name.equals("release") && call.type() == RegionCache.class) {
            leases.removeFirst();
        } else {
            own(result);
        }
    }

    /** A step that the cell may have made impossible: any refusal of the library is right, and nothing else. */
    void lenient(Cell.Step step) {
        try {
            step.run();
        } catch (Exception e) {
            String wrong = Judge.wrong(e, Judge.ANY);
            if (wrong != null) {
                fault(wrong, e);
            }
        } catch (AssertionError e) { // the rest of the cell has to be closed all the same
            fault("in vain", e);
        }
    }

    /** Notes why a cell could not be made: the device lacks what it needs, or something is wrong. */
    void impossible(Throwable t) {
        if (t instanceof RdmaException && LACKS.matcher(t.getMessage()).find()) {
            System.out.println("SKIPPED " + t);
        } else {
            fault("in the place", t);
        }
    }

    /** Keeps what is wrong, for {@link #finish}. */
    void fault(String what, Throwable t) {
        faults.add(what + ": " + MatrixRun.trace(t));
    }

    // Verbs.

    CompletionQueueConfig queueConfig() {
        return queueConfig;
    }

    QueuePairConfig pairConfig() {
        return pairConfig;
    }

    SharedReceiveQueueConfig sharedConfig() {
        return sharedConfig;
    }

    SendRequest send() {
        return SendRequest.prepare(region).range(0, 8).signaled(true);
    }

    ReceiveRequest receive() {
        return ReceiveRequest.prepare(region).range(BYTES, 8);
    }

    /** Sends a message between the queue pairs, of which two completions tell. */
    void exchange() {
        srq.post(receive());
        one.post(send());
    }

    /** Completions that are lent to the program. */
    WorkCompletions completed() {
        return the("completed", () -> {
            exchange();
            until(() -> cq.poll(done) > 0);
            return done;
        });
    }

    RegisteredMemory memory() {
        return the("memory", () -> pd.allocate(BYTES, AccessFlag.LOCAL_WRITE));
    }

    MemoryWindow window(MemoryWindowType type) {
        return the("window " + type, () -> pd.allocateWindow(type));
    }

    AddressHandle handle() {
        return the("handle", () -> pd.createAddressHandle(AddressVector.global(gid, gid.gid())));
    }

    QueuePair datagrams() {
        return the("datagrams", () -> {
            QueuePair made = pd.createQueuePair(QueuePairType.UD, cq, cq);
            made.bringUp(1, 7);
            return made;
        });
    }

    /** A queue pair, connected to itself, that posts batches. */
    QueuePair batched() {
        return the("batched", () -> {
            QueuePair made =
                    pd.createQueuePair(QueuePairType.RC, cq, cq, config -> config.extendedPosting(SendOpcode.SEND));
            made.connect(gid, made.address(gid));
            return made;
        });
    }

    SendBatch startedBatch() {
        return the("started batch", () -> {
            SendBatch batch = batched().sendBatch();
            batch.start();
            return batch;
        });
    }

    ExtendedCompletionQueue extended() {
        return the("extended", () -> ExtendedCompletionQueue.create(context, 16, config -> config.standardFields()));
    }

    /** One in a poll, at a completion. */
    ExtendedCompletionQueue polling() {
        return the("polling", () -> {
            QueuePair flushed = own(pd.createQueuePair(
                    QueuePairType.RC, extended().queue(), extended().queue()));
            flushed.connect(gid, flushed.address(gid));
            flushed.post(ReceiveRequest.prepare(0));
            flushed.post(SendRequest.prepare(0).signaled(true));
            until(() -> extended().startPoll());
            return extended();
        });
    }

    private final List<Long> slices = new ArrayList<>();
    private final List<Long> leases = new ArrayList<>();

    RegionPool pool() {
        return the("pool", () -> {
            RegionPool pool = RegionPool.create(pd, 512, 1 << 16, AccessFlag.LOCAL_WRITE);
            slices.add(pool.acquire());
            return pool;
        });
    }

    long slice() {
        pool();
        return slices.getFirst();
    }

    RegionCache cache() {
        return the("cache", () -> {
            RegionCache cache = RegionCache.create(pd, 1 << 16, 4, AccessFlag.LOCAL_WRITE);
            leases.add(cache.acquire(segment.asSlice(0, 512)));
            return cache;
        });
    }

    long lease() {
        cache();
        return leases.getFirst();
    }

    EventLoop loop() {
        return the("loop", EventLoop::open);
    }

    // Connections.

    InetSocketAddress any() {
        return new InetSocketAddress(address, 0);
    }

    /** Where nobody listens. */
    InetSocketAddress nobody() {
        return new InetSocketAddress(address, 9);
    }

    EventChannel events() {
        return the("events", EventChannel::open);
    }

    ConnectionId bound() {
        return the("bound", () -> bind(events().createId(PortSpace.TCP)));
    }

    ConnectionId bind(ConnectionId made) {
        own(made).bind(any());
        return made;
    }

    ConnectionId listening() {
        return the("listening", () -> {
            ConnectionId made = bind(events().createId(PortSpace.TCP));
            made.listen(4);
            return made;
        });
    }

    /** A request that waits for an answer. */
    ConnectionId requested() {
        return the("requested", () -> {
            ask(listening().localAddress());
            return next(events(), CmEventType.CONNECT_REQUEST).id();
        });
    }

    /** Has a client ask for a connection; it does not take part in the answer. */
    void ask(InetSocketAddress to) {
        EventChannel theirs = the("their events", EventChannel::open);
        ConnectionId client = own(theirs.createId(PortSpace.TCP));
        client.resolveAddress(to, DEADLINE);
        next(theirs, CmEventType.ADDR_RESOLVED);
        client.resolveRoute(DEADLINE);
        next(theirs, CmEventType.ROUTE_RESOLVED);
        int number =
                FIRST_NUMBER + asked++; // the kernel takes a second request of one number for a new start of the first
        client.connect(config -> config.queuePair(number, false));
    }

    private static CmEvent next(EventChannel from, CmEventType type) {
        try {
            CmEvent event;
            do {
                event = from.await(DEADLINE);
                if (event == null) {
                    throw new AssertionError("no " + type);
                }
            } while (event.type() != type); // the cell's other ids have events, too
            return event;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** librdmacm has a context of its own, for the queue pairs of connections. */
    ProtectionDomain connectedDomain() {
        return the("connected domain", () -> bound().device().allocateProtectionDomain());
    }

    CompletionQueue connectedQueue() {
        return the("connected queue", () -> bound().device().createCompletionQueue(16));
    }

    QueuePair connectedPair() {
        return the(
                "connected pair",
                () -> bound().createQueuePair(connectedDomain(), connectedQueue(), connectedQueue(), config -> {}));
    }

    MulticastMembership membership() {
        return the("membership", () -> {
            ConnectionId datagrams = bind(events().createId(PortSpace.UDP));
            return datagrams.joinMulticast(multicast());
        });
    }

    InetSocketAddress multicast() {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 239, 1, 2, 3}), 0);
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    Listener listener() {
        return the("listener", () -> Listener.bind(any(), this::listens));
    }

    private ListenerConfig listens(ListenerConfig config) {
        return config.admission(request -> {
                    id = request.id();
                    onAdmission.run();
                    return Admission.accept();
                })
                .connections(setup -> setup.queuePair(of -> onQueuePair.run())
                        .parameters(of -> onParameters.run())
                        .prepare(this::prepare));
    }

    private void prepare(Connection prepared) {
        connection = prepared;
        onPrepare.run();
    }

    /** Connects to nobody, which fails after the program has prepared its side. */
    void connectInVain(Consumer<Connection> prepare) {
        lenient(() -> {
            own(Connector.connect(
                    nobody(),
                    DEADLINE,
                    setup -> setup.prepare(prepared -> {
                        connection = prepared;
                        prepare.accept(prepared);
                    })));
            throw new AssertionError("somebody listens at " + nobody());
        });
    }

    /** The connection that a handler has, or else an established one. */
    Connection connection() {
        return connection != null ? connection : established();
    }

    Connection established() {
        return the("established", () -> {
            try {
                Listener at = own(Listener.bind(any()));
                var accept = new FutureTask<>(() -> at.accept(DEADLINE));
                Thread acceptor = Thread.ofPlatform().unstarted(accept);
                at.handOver(acceptor);
                acceptor.start();
                Connection made = Connector.connect(at.localAddress(), DEADLINE);
                acceptor.join(); // its objects belong to whoever uses them next
                own(accept.get());
                return made;
            } catch (InterruptedException | ExecutionException e) {
                throw new AssertionError(e);
            }
        });
    }

    ConnectionId id() {
        return id != null ? id : bound();
    }

    // Groups.

    private final class Handler implements GroupHandler {
        @Override
        public void connected(GroupMember which) {
            member = which;
            onConnected.run();
        }

        @Override
        public void completed(GroupMember which, WorkCompletions of, int index) {
            member = which;
            onCompleted.run();
        }

        @Override
        public void ended(GroupMember which, CmException how) {
            member = which;
            onEnded.run();
        }
    }

    ConnectionGroup group() {
        return the(
                "group",
                () -> ConnectionGroup.open(
                        loop(),
                        address,
                        new Handler(),
                        config -> config.queuePair(of -> onQueuePair.run()).parameters(of -> onParameters.run())));
    }

    static final GroupHandler QUIET = (which, of, index) -> {};

    /** The peer's side, of the same loop. */
    InetSocketAddress otherGroup() {
        return the("other group's address", () -> {
            ConnectionGroup other =
                    the("other group", () -> ConnectionGroup.open(loop(), address, QUIET, config -> {}));
            other.receives().post(ReceiveRequest.prepare(0));
            return other.listen(0, config -> {});
        });
    }

    /** A member, connected to the other group. */
    GroupMember joined() {
        return the("joined", () -> {
            CompletableFuture<GroupMember> wanted = group().connect(otherGroup(), DEADLINE);
            untilTurned(wanted::isDone);
            return wanted.join();
        });
    }

    GroupMember member() {
        return member != null ? member : joined();
    }

    /** Listens for members that call the handlers of this side. */
    InetSocketAddress groupsAddress() {
        return the("group's address", () -> group().listen(0, this::listens));
    }

    // Waiting.

    void until(BooleanSupplier so) {
        long begin = System.nanoTime();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() - begin > DEADLINE.toNanos()) {
                throw new AssertionError("it never came");
            }
            Thread.onSpinWait();
        }
    }

    /** Turns the loop; what the cell has closed may end that. */
    void untilTurned(BooleanSupplier so) {
        until(() -> {
            lenient(() -> loop().turn(Duration.ofMillis(5)));
            return so.getAsBoolean() || !faults.isEmpty();
        });
    }

    // What is left of a cell.

    void closeGroups() {
        made.stream().filter(ConnectionGroup.class::isInstance).forEach(group -> lenient(group::close));
    }

    /** Closes what can be closed, each once. */
    void closeEverything() {
        for (AutoCloseable object : List.copyOf(made)) {
            lenient(object::close);
        }
    }

    /** Checks that the queue pairs still work, if they are up; closes everything; and returns what was wrong. */
    List<String> finish() {
        onAdmission = onQueuePair = onParameters = onPrepare = onConnected = onCompleted = onEnded = () -> {};
        lenient(() -> {
            if (one.query().state() == QueuePairState.RTS && two.query().state() == QueuePairState.RTS) {
                drain();
                exchange();
                int[] seen = {0};
                until(() -> {
                    seen[0] += cq.poll(done);
                    return seen[0] >= 2;
                });
            }
        });
        if (objects.get("polling") instanceof ExtendedCompletionQueue queue) {
            lenient(queue::endPoll);
        }
        if (objects.get("batched") instanceof QueuePair of) {
            lenient(of.sendBatch()::abort);
        }
        slices.forEach(slice -> lenient(() -> pool().release(slice)));
        leases.forEach(lease -> lenient(() -> cache().release(lease)));
        closeAll();
        return faults;
    }

    private void drain() {
        while (cq.poll(done) > 0) {
            done.count();
        }
    }

    /** Closes everything; what is still needed comes again later. */
    private void closeAll() {
        List<AutoCloseable> left = new ArrayList<>(made);
        Map<AutoCloseable, Exception> refused = new LinkedHashMap<>();
        int before;
        do {
            before = left.size();
            refused.clear();
            left.removeIf(object -> isClosed(object, refused));
        } while (left.size() < before);
        refused.forEach(
                (object, why) -> faults.add("in the end, " + object + " cannot be closed: " + MatrixRun.trace(why)));
        if (arena.scope().isAlive()) {
            lenient(arena::close);
        }
    }

    private static boolean isClosed(AutoCloseable object, Map<AutoCloseable, Exception> refused) {
        try {
            object.close();
            return true;
        } catch (Exception e) {
            refused.put(object, e);
            return false;
        }
    }
}
