// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.GuardedArena;
import dev.isthmus.buffers.UcpMemoryCache;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpActiveMessageHandler;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpBuffer;
import dev.isthmus.ucx.UcpCompletions;
import dev.isthmus.ucx.UcpConnectionRequest;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpContextConfig;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpEndpointConfig;
import dev.isthmus.ucx.UcpExportedMemory;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpIov;
import dev.isthmus.ucx.UcpKeptMessage;
import dev.isthmus.ucx.UcpListener;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpMemoryConfig;
import dev.isthmus.ucx.UcpPackedData;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpReadyStreams;
import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpStreamData;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcpWorkerConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What a cell of UCX's matrices acts on: two workers of one thread with endpoints to each other, and whatever the cell
 * needs besides, which is created when it is first asked for. All messages consist of x, so that any other byte that
 * arrives is of another message, or of memory that was freed.
 */
final class UcxScene {

    /** The peer's handler that checks what arrives; the default of numbers that are arguments. */
    static final int CHECKED = 0;

    /** The handler for the message that runs a cell's part. */
    static final int PLACE = 2;

    static final int SHORT = 1000;
    static final int LONG = 4000; // by rendezvous
    static final long PLACE_TAG = 0x100;

    private static final int PUMP = 1;
    private static final int KEEP = 3;
    private static final long EXCHANGE_TAG = 0x200;
    private static final long TAKEN_TAG = 0x300;
    private static final long NEVER_TAG = 0x400;
    private static final long CALLS_TAG = 8; // the default of numbers
    private static final int RENDEZVOUS_FROM = 2000;
    private static final byte X = 'x';
    private static final byte Y = 'y';
    private static final int ALL_SLOTS = 150; // more than a queue of shared memory has
    private static final int SETTLING = 300; // turns
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(30);
    private static final long DEADLINE_NANOS = TestDeadlines.ofSeconds(10).toNanos();

    /** What all cells of a JVM share. */
    record Shared(UcpContext context, UcpContextConfig staleConfig, boolean hasSockets) {

        static Shared of(String tls) {
            UcpContextConfig[] stale = {null};
            UcpContext context = UcpContext.create(config -> {
                config.set("TLS", tls)
                        .set("RNDV_THRESH", Integer.toString(RENDEZVOUS_FROM))
                        .features(EnumSet.allOf(UcpFeature.class));
                stale[0] = config;
            });
            return new Shared(context, stale[0], tls.contains("tcp"));
        }
    }

    final Shared shared;
    final Arena arena = GuardedArena.ofShared(); // of the calls' arguments
    private final Arena own = GuardedArena.ofShared();
    final UcpContext context;
    final UcpWorker mine;
    final UcpWorker theirs;
    final UcpEndpoint one;
    final UcpEndpoint two;
    final UcpEndpoint back;
    final MemorySegment source = arena.allocate(2 * LONG, 64).fill(X);
    final EventLoop loop; // null if the worker has none

    private final int variant;
    private final List<AutoCloseable> made = new ArrayList<>();
    private final List<Supplier<MemorySegment>> lent = new ArrayList<>();
    private final List<MemorySegment> received = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private UcpActiveMessageHandler atPlace = message -> {};
    private Runnable onCompletions = () -> {};
    private UcpActiveMessage message;
    private UcpWorkerConfig workerConfig;
    private UcpEndpointConfig endpointConfig;
    private UcpMemoryConfig memoryConfig;
    private boolean pumping;
    private UcpEndpoint self;
    private UcpMemory memory;
    private UcpPackedKey key;
    private UcpExportedMemory exported;
    private UcpRemoteMemory remote;
    private UcpRemoteMemory otherRemote;
    private UcpKeptMessage kept;
    private UcpKeptMessage keptRendezvous;
    private UcpKeptMessage emptyHolder;
    private UcpStreamData streamData;
    private UcpStreamData noStreamData;
    private UcpTagMessage taken;
    private UcpTagMessage noneTaken;
    private UcpReadyStreams ready;
    private UcpCompletions completions;
    private UcpMemoryPool pool;
    private final List<Long> slices = new ArrayList<>();
    private UcpMemoryCache cache;
    private final List<Long> leases = new ArrayList<>();
    private long request;
    private EventLoop otherLoop;
    private UcpListener listener;
    private UcpEndpoint client;
    private UcpEndpoint accepted;
    private Runnable onError = () -> {};
    private Runnable onConnection = () -> {};
    private final List<UcpConnectionRequest> requests = new ArrayList<>();
    private UcpConnectionRequest undecided;

    UcxScene(Shared shared, boolean isLooped, int variant) {
        this.shared = shared;
        this.variant = variant;
        this.context = shared.context;
        this.theirs = context.createWorker(
                config -> config.closeTimeout(CLOSE_TIMEOUT).handler(CHECKED, this::check));
        this.loop = isLooped ? EventLoop.open() : null;
        this.mine = isLooped
                ? context.createWorker(loop, config -> configure(config).completions(4, done -> onCompletions.run()))
                : context.createWorker(this::configure);
        this.one = mine.createEndpoint(theirs.address(), config -> endpointConfig = config);
        this.two = mine.createEndpoint(theirs.address());
        this.back = theirs.createEndpoint(mine.address());
        exchange(one);
        exchange(two);
        for (UcpEndpoint endpoint : List.of(one, two, back)) {
            connect(endpoint);
        }
    }

    /**
     * Connects an endpoint as a whole: a message that asks for an answer needs more than others. Over TCP, UCX does not
     * survive such a message between two workers with two endpoints: docs/ucx-faults.md.
     */
    private void connect(UcpEndpoint endpoint) {
        int flags = endpoint == back || !shared.hasSockets ? UcpActiveMessages.REPLY : 0;
        CompletableFuture<Void> sent = endpoint.amSendAsync(CHECKED, MemorySegment.NULL, source.asSlice(0, 8), flags);
        CompletableFuture<Void> flushed =
                (endpoint == back ? theirs : mine).requests().whenDone(endpoint.flush());
        until(() -> sent.isDone() && flushed.isDone());
    }

    private UcpWorkerConfig configure(UcpWorkerConfig config) {
        workerConfig = config;
        return config.closeTimeout(CLOSE_TIMEOUT)
                .handler(CHECKED, this::check)
                .handler(PUMP, m -> pump())
                .handler(PLACE, m -> {
                    message = m;
                    atPlace.onMessage(m);
                });
    }

    /** A message that a call has sent. */
    private void check(UcpActiveMessage m) {
        MemorySegment to = filled(m.length(), X);
        received.add(to);
        var ignored = m.receiveAsync(to);
        if (m.header().length() > 0) {
            m.header().copyTo(filledLater(m.header().length()));
        }
    }

    private MemorySegment filledLater(long bytes) {
        MemorySegment to = filled(bytes, X);
        received.add(to);
        return to;
    }

    MemorySegment filled(long bytes, byte with) {
        return own.allocate(Math.max(bytes, 1), 64).fill(with);
    }

    // What progresses.

    /**
     * Lets each progress of the worker progress the peer, too, by a message whose handler does so and sends the next one.
     * A close that waits for the peer then need not wait for ever, though both are of one thread.
     */
    void pumpPeer() {
        pumping = true;
        pump();
    }

    private void pump() {
        if (pumping && back.isOpen()) {
            sent(theirs, back.amSend(PUMP, MemorySegment.NULL));
            theirs.progress();
        }
    }

    static void sent(UcpWorker worker, long send) {
        if (send != 0) {
            var ignored = worker.requests().whenDone(send);
        }
    }

    /** Progresses this side. */
    void turnMine() {
        lenient(() -> {
            if (loop != null) {
                loop.turn(Duration.ZERO);
            } else {
                mine.progress();
            }
        });
    }

    /** Progresses both sides. */
    void turn() {
        turnMine();
        lenient(theirs::progress);
        if (otherLoop != null) {
            lenient(() -> otherLoop.turn(Duration.ZERO));
        }
    }

    private void settle() {
        for (int i = 0; i < SETTLING; i++) {
            turn();
        }
    }

    /** Lets everything arrive that is under way, so that what comes next is met at once. */
    void rest() {
        for (int quiet = 0; quiet < 5; ) {
            quiet = mine.progress() == 0 && theirs.progress() == 0 ? quiet + 1 : 0;
        }
    }

    void until(BooleanSupplier so) {
        long begin = System.nanoTime();
        while (!so.getAsBoolean()) {
            turn();
            if (System.nanoTime() - begin > DEADLINE_NANOS) {
                throw new AssertionError("it never came");
            }
        }
    }

    /** A step that the cell may have made impossible: any refusal of the library is right, and nothing else. */
    void lenient(Cell.Step step) {
        try {
            step.run();
        } catch (Exception e) {
            String wrong = Judge.wrong(e, Judge.ANY);
            if (wrong != null) {
                faults.add(wrong + ": " + MatrixRun.trace(e));
            }
        }
    }

    /** A message over an endpoint, and back. */
    private void exchange(UcpEndpoint over) {
        send(over, theirs);
        send(back, mine);
    }

    private void send(UcpEndpoint over, UcpWorker to) {
        MemorySegment target = own.allocate(SHORT);
        CompletableFuture<?> receive = to.tagReceiveAsync(target, EXCHANGE_TAG, UcpWorker.EXACT_TAG);
        CompletableFuture<?> send = over.tagSendAsync(filled(SHORT, X), EXCHANGE_TAG);
        until(() -> receive.isDone() && send.isDone());
        receive.join();
        send.join();
        isX(target, "a message over " + over);
    }

    // What runs a cell's part.

    /** Has the peer send an active message, which this side meets at its next progress. */
    void sendToPlace(int flags, Runnable inside) {
        atPlace = m -> inside.run();
        sent(theirs, back.amSend(PLACE, MemorySegment.NULL, source.asSlice(0, SHORT), flags));
        push();
    }

    /** The same over an endpoint of the worker to itself, within the call. */
    void sendToSelf(Runnable inside) {
        atPlace = m -> inside.run();
        sent(mine, self().amSend(PLACE, MemorySegment.NULL, source.asSlice(0, SHORT), UcpActiveMessages.REPLY));
    }

    void push() {
        for (int i = 0; i < 30; i++) {
            theirs.progress();
        }
    }

    void onCompletions(Runnable inside) {
        onCompletions = inside;
    }

    void onError(Runnable inside) {
        onError = inside;
    }

    void onConnection(Runnable inside) {
        onConnection = inside;
    }

    /** A send that its receiver gets only if the peer progresses, and only once it is received. */
    void sendBusily() {
        MemorySegment to = filledLater(LONG);
        sent(mine, one.tagSend(source, 0, LONG, PLACE_TAG + 1));
        sent(theirs, theirs.tagReceive(to, PLACE_TAG + 1));
    }

    /** A get that ends only if the peer progresses. */
    void getBusily() {
        remote().getImplicit(source, 0, 2L * LONG, 0);
    }

    // What calls are made on.

    <T extends AutoCloseable> T closing(T object) {
        made.add(object);
        return object;
    }

    /** What a call has returned may have to be closed, or released. */
    void returned(Call call, Object result) {
        String name = call.executable().getName();
        if (result instanceof AutoCloseable object
                && !made.contains(object)
                && !List.of(context, mine, theirs, one, two, back).contains(object)) {
            made.add(object);
        }
        if (call.type() == UcpMemoryPool.class && (name.endsWith("cquire") || name.equals("retain"))) {
            slices.add(name.equals("retain") ? slices.getFirst() : (Long) result);
        } else if (call.type() == UcpMemoryCache.class && name.endsWith("cquire")) {
            leases.add((Long) result);
        }
    }

    UcpEndpoint self() {
        if (self == null) {
            self = mine.createEndpoint(mine.address());
            connect(self);
        }
        return self;
    }

    UcpMemory memory() {
        if (memory == null) {
            memory = context.register(filled(2 * LONG, X), config -> memoryConfig = config);
        }
        return memory;
    }

    UcpMemoryConfig memoryConfig() {
        memory();
        return memoryConfig;
    }

    UcpExportedMemory exported() {
        if (exported == null) {
            exported = memory().export();
        }
        return exported;
    }

    UcpPackedKey key() {
        if (key == null) {
            key = memory().packKey();
        }
        return key;
    }

    UcpRemoteMemory remote() {
        if (remote == null) {
            remote = one.unpack(key());
        }
        return remote;
    }

    UcpRemoteMemory otherRemote() {
        if (otherRemote == null) {
            otherRemote = two.unpack(key());
        }
        return otherRemote;
    }

    /** The message of the handler that runs, or else of one that has run. */
    UcpActiveMessage message() {
        if (message == null) {
            sendToPlace(UcpActiveMessages.REPLY, () -> {});
            until(() -> message != null);
        }
        return message;
    }

    UcpKeptMessage kept() {
        if (kept == null) {
            kept = keep(UcpActiveMessages.EAGER);
            lent.add(() -> kept.isHolding() ? kept.segment() : null);
        }
        return kept;
    }

    UcpKeptMessage keptRendezvous() {
        if (keptRendezvous == null) {
            keptRendezvous = keep(UcpActiveMessages.RENDEZVOUS);
        }
        return keptRendezvous;
    }

    private UcpKeptMessage keep(int flags) {
        var holder = new UcpKeptMessage();
        mine.activeMessages().setPersistentHandler(KEEP, m -> m.keep(holder));
        sent(theirs, back.amSend(KEEP, MemorySegment.NULL, source.asSlice(0, SHORT), flags));
        until(holder::isHolding);
        return closing(holder);
    }

    UcpKeptMessage emptyHolder() {
        if (emptyHolder == null) {
            emptyHolder = closing(new UcpKeptMessage());
        }
        return emptyHolder;
    }

    UcpStreamData streamData() {
        if (streamData == null) {
            streamData = closing(UcpStreamData.of(mine));
            sent(theirs, back.stream().send(source, 0, SHORT));
            until(() -> one.stream().receiveData(streamData));
            lent.add(() -> streamData.isHolding() ? streamData.segment() : null);
        }
        return streamData;
    }

    UcpStreamData noStreamData() {
        if (noStreamData == null) {
            noStreamData = closing(UcpStreamData.of(mine));
        }
        return noStreamData;
    }

    UcpTagMessage taken() {
        if (taken == null) {
            taken = closing(UcpTagMessage.of(mine));
            sent(theirs, back.tagSend(source, 0, SHORT, TAKEN_TAG));
            until(() -> mine.tagTake(TAKEN_TAG, UcpWorker.EXACT_TAG, taken));
        }
        return taken;
    }

    UcpTagMessage noneTaken() {
        if (noneTaken == null) {
            noneTaken = closing(UcpTagMessage.of(mine));
        }
        return noneTaken;
    }

    UcpReadyStreams ready() {
        if (ready == null) {
            ready = UcpReadyStreams.of(mine, 4);
            sent(theirs, back.stream().send(source, 0, 8));
            until(() -> ready.poll() > 0);
        }
        return ready;
    }

    UcpCompletions completions() {
        if (completions == null) {
            completions = UcpCompletions.allocate(4);
        }
        return completions;
    }

    UcpMemoryPool pool() {
        if (pool == null) {
            pool = closing(UcpMemoryPool.create(context, 4096, 1 << 20));
            slices.add(pool.acquire());
        }
        return pool;
    }

    long slice() {
        pool();
        return slices.getFirst();
    }

    UcpMemoryCache cache() {
        if (cache == null) {
            cache = closing(UcpMemoryCache.create(context, 1 << 20, 8));
            leases.add(cache.acquire(source.asSlice(0, SHORT)));
        }
        return cache;
    }

    long lease() {
        cache();
        return leases.getFirst();
    }

    /** An operation that never ends by itself. */
    long request() {
        if (request == 0) {
            request = mine.tagReceive(source, NEVER_TAG);
        }
        return request;
    }

    /** One of several kinds. */
    UcpPayload payload() {
        return switch (variant % 4) {
            case 0 -> buffer();
            case 1 -> buffer().userData(7);
            case 2 -> iov();
            default -> packed();
        };
    }

    UcpBuffer buffer() {
        return UcpBuffer.of(mine, source).range(0, SHORT);
    }

    UcpIov iov() {
        return UcpIov.allocate(mine, 2).add(source, 0, 8).add(source, 8, 8);
    }

    UcpPackedData packed() {
        return UcpPackedData.packing(mine, LONG, (offset, target) -> target.fill(X));
    }

    EventLoop loop() {
        if (otherLoop == null) {
            otherLoop = EventLoop.open();
        }
        return otherLoop;
    }

    UcpWorkerConfig workerConfig() {
        return workerConfig;
    }

    UcpEndpointConfig endpointConfig() {
        return endpointConfig;
    }

    // Connections by socket address.

    InetSocketAddress loopback() {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Where a call may connect to. */
    InetSocketAddress somebody() {
        return shared.hasSockets ? listener().address() : loopback();
    }

    UcpListener listener() {
        if (listener == null) {
            listener = mine.createListener(loopback(), r -> {
                requests.add(r);
                onConnection.run();
            });
        }
        return listener;
    }

    /** A client whose request nobody has decided. */
    UcpConnectionRequest undecided() {
        if (undecided == null) {
            ask();
            until(() -> !requests.isEmpty());
            undecided = requests.removeFirst();
        }
        return undecided;
    }

    /** Has a client ask for a connection. */
    UcpEndpoint ask() {
        UcpEndpoint asking = theirs.createEndpoint(listener().address(), config -> {});
        made.add(asking);
        push();
        return asking;
    }

    /** An endpoint that a client has asked for. */
    UcpEndpoint accepted() {
        if (accepted == null) {
            client = ask();
            until(() -> !requests.isEmpty());
            accepted = closing(requests.removeFirst()
                    .accept(mine, config -> config.errorHandler((endpoint, status) -> onError.run())));
            CompletableFuture<Void> there = theirs.requests().whenDone(client.flush());
            CompletableFuture<Void> here = mine.requests().whenDone(accepted.flush());
            until(() -> there.isDone() && here.isDone());
        }
        return accepted;
    }

    /** Ends the connection of an accepted endpoint. */
    void endConnection() {
        client.closeForcibly();
        push();
    }

    // What is left of a cell.

    /**
     * Checks that nothing was harmed, closes everything, and returns what was wrong.
     *
     * @param mayDrop whether a close may have dropped what was under way, so that its memory stays for ever
     */
    List<String> finish(boolean mayDrop) {
        pumping = false;
        onCompletions = () -> {};
        onError = () -> {};
        onConnection = () -> {};
        atPlace = m -> {};
        settle();
        overwrite();
        lent.forEach(this::isStillX);
        drain();
        if (two.isOpen() && back.isOpen()) {
            exchange(two);
        }
        if (one.isOpen() && back.isOpen()) {
            exchange(one);
        }
        if (arena.scope().isAlive()) {
            isX(source, "the arguments' buffer");
        }
        received.forEach(one -> isX(one, "what the peer received"));
        closeAll(mayDrop);
        return faults;
    }

    /** Other messages, for which UCX uses memory that was given back to it. */
    private void overwrite() {
        MemorySegment other = filled(SHORT, Y);
        for (int i = 0; i < 4; i++) {
            lenient(() -> {
                if (back.isOpen()) {
                    CompletableFuture<?> receive =
                            mine.tagReceiveAsync(own.allocate(SHORT), EXCHANGE_TAG + 1, UcpWorker.EXACT_TAG);
                    sent(theirs, back.tagSend(other, EXCHANGE_TAG + 1));
                    until(receive::isDone);
                }
            });
        }
    }

    /** The same before the peer has read what it was sent: it does not progress. */
    void overwriteFreed() {
        MemorySegment other = filled(SHORT, Y);
        for (int i = 0; i < ALL_SLOTS; i++) {
            lenient(() -> {
                if (back.isOpen()) {
                    sent(theirs, back.tagSend(other, EXCHANGE_TAG + 1));
                }
            });
            turnMine();
        }
    }

    /** Receives what calls have sent. */
    private void drain() {
        for (UcpWorker worker : List.of(mine, theirs)) {
            lenient(() -> {
                UcpTagMessage found = UcpTagMessage.of(worker);
                while (worker.tagTake(CALLS_TAG, UcpWorker.EXACT_TAG, found)) {
                    CompletableFuture<?> receive = found.receiveAsync(filledLater(found.length()));
                    until(receive::isDone);
                }
            });
        }
        settle();
    }

    private void closeAll(boolean mayDrop) {
        List<AutoCloseable> last = new ArrayList<>();
        made.forEach(object -> close(object, last));
        close(remote, last);
        close(otherRemote, last);
        List<CompletableFuture<Void>> closes = new ArrayList<>();
        for (UcpEndpoint endpoint : new UcpEndpoint[] {self, one, two, back}) {
            if (endpoint != null) {
                closes.add(endpoint.closeAsync());
            }
        }
        until(() -> closes.stream().allMatch(CompletableFuture::isDone));
        closes.forEach(one -> lenient(one::join));
        while (pool != null && pool.slicesOut() > 0) {
            pool.release(slices.removeLast());
        }
        while (cache != null && cache.leasesOut() > 0) {
            cache.release(leases.removeLast());
        }
        List<AutoCloseable> rest = new ArrayList<>(last);
        rest.add(listener);
        rest.add(loop == null ? mine : () -> closeLooped());
        rest.add(theirs);
        rest.add(memory);
        rest.addAll(last);
        rest.add(pool);
        rest.add(cache);
        rest.add(loop);
        rest.add(otherLoop);
        rest.add(arena);
        rest.add(own);
        for (AutoCloseable object : rest) {
            closeAtLast(object, mayDrop);
        }
    }

    private void closeLooped() {
        CompletableFuture<Void> closed = mine.closeAsync();
        until(closed::isDone);
        closed.join();
    }

    /** Closes an object; one that is still needed comes again later. */
    private void close(AutoCloseable object, List<AutoCloseable> later) {
        if (object == null) {
            return;
        }
        try {
            if (object instanceof UcpEndpoint endpoint && endpoint.isOpen() && !endpoint.isFailed()) {
                settle();
            }
            object.close();
        } catch (Exception e) {
            later.add(object);
        }
    }

    @SuppressWarnings("ReferenceEquality") // that very one
    private void closeAtLast(AutoCloseable object, boolean mayDrop) {
        if (object == null || (object == arena && !arena.scope().isAlive())) {
            return;
        }
        try {
            object.close();
        } catch (Exception e) {
            if (!mayDrop || !e.getMessage().contains("which dropped them when it was closed")) {
                faults.add("in the end, " + object + " cannot be closed: " + MatrixRun.trace(e));
            }
        }
    }

    private void isStillX(Supplier<MemorySegment> lent) {
        lenient(() -> {
            MemorySegment segment = lent.get();
            if (segment != null) {
                isX(segment, "what UCX has lent");
            }
        });
    }

    private void isX(MemorySegment segment, String what) {
        for (long i = 0; i < segment.byteSize(); i++) {
            byte found = segment.get(ValueLayout.JAVA_BYTE, i);
            if (found != X) {
                faults.add(what + " has " + found + " at " + i);
                return;
            }
        }
    }
}
