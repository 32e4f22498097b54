// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.buffers.RegistrationCache;
import dev.isthmus.buffers.SlicePool;
import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpConnectionRequest;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpEndpointConfig;
import dev.isthmus.ucx.UcpErrorHandling;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpListener;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpThreadMode;
import dev.isthmus.ucx.UcpWorker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Contexts, workers, and how they are connected.
 *
 * <p>One rule of UCX is kept, because breaking it ends a C program too: peers let what is under way come to rest before one
 * of them closes. So an endpoint is closed by the thread of both its workers, and a worker when no endpoint leads to it.
 *
 * <p>With connections by socket address all workers are of one thread, into whose objects the other intrudes, and nothing
 * is closed or rejected while a connection is being made: UCX may take a late event of the closed socket for one of the
 * next socket of that number (docs/ucx-faults.md).
 */
final class UcxPeers {

    static final int MOST = 6; // of each kind
    private static final int SETTLING = 100; // calls of progress
    private static final Reason[] BUSY_CLOSE = {Reason.IN_CALLBACK, Reason.CALLBACK, Reason.DEVICE, Reason.BUSY};

    /** A request, and its listener. */
    private record Asking(UcpConnectionRequest request, AtomicReference<Thing> listener) {}

    private final String tls;
    private final boolean sockets; // how endpoints are connected
    private final UcxBuffers buffers;
    private final Map<UcpEndpoint, Thing> targets = new ConcurrentHashMap<>();
    private final Map<UcpWorker, UcpContext> contexts = new ConcurrentHashMap<>();
    private final Set<Thing> singles = ConcurrentHashMap.newKeySet();
    private final Map<Thing, Long> connecting = new ConcurrentHashMap<>(); // a flush of each, over sockets
    private final List<Asking> connections = new CopyOnWriteArrayList<>();

    UcxPeers(String tls, boolean sockets, UcxBuffers buffers) {
        this.tls = tls;
        this.sockets = sockets;
        this.buffers = buffers;
    }

    List<Action> all() {
        return List.of(
                action("context", 1, this::createContext),
                action("worker", 1, this::createWorker, Reason.DEVICE),
                action("connect", 2, this::connect, Reason.DEVICE, Reason.IN_CALLBACK, Reason.CALLBACK, Reason.FAILED),
                action("damaged address", 1, UcxPeers::damage, Reason.IN_CALLBACK, Reason.DEVICE),
                action("listen", 1, this::listen, Reason.DEVICE, Reason.IN_CALLBACK),
                action(
                        "decide",
                        1,
                        this::decide,
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.OVER,
                        Reason.IN_CALLBACK,
                        Reason.CALLBACK),
                closeOne(),
                action("ask", 1, this::ask, Reason.KIND, Reason.FAILED, Reason.ARGUMENT, Reason.DEVICE),
                action("wake up", 1, this::wakeUp, Reason.KIND, Reason.IN_CALLBACK, Reason.CALLBACK, Reason.DEVICE),
                action("hand over", 1, this::handOver, Reason.KIND, Reason.IN_CALLBACK),
                action("flush a worker", 1, this::flush, Reason.DEVICE, Reason.FAILED),
                action("progress", 9, this::progress, Reason.IN_CALLBACK, Reason.CALLBACK));
    }

    /** Closes a context, a worker, a listener or, most often, an endpoint. */
    Action closeOne() {
        return action("close", 1, this::close, BUSY_CLOSE);
    }

    private void createContext(Worker w) {
        if (w.countOpen(UcpContext.class) < 2) {
            var features = EnumSet.allOf(UcpFeature.class);
            if (w.chance(4)) {
                features.removeIf(feature -> feature != UcpFeature.AM && w.chance(2));
            }
            w.made(
                    UcpContext.class,
                    UcpContext.create(config -> config.set("TLS", tls).features(features)));
        }
    }

    private void createWorker(Worker w) {
        boolean intruder = sockets && w.number != 0;
        if (w.countOpen(UcpWorker.class) < MOST && !intruder) {
            UcpContext context = w.use(UcpContext.class);
            boolean single = w.chance(5);
            UcpWorker worker = context.createWorker(config -> config.clientId(w.random.nextLong())
                    .reservedRequests(1 + w.random.nextInt(4))
                    .closeTimeout(Duration.ofMillis(w.random.nextInt(30)))
                    .threadMode(single ? UcpThreadMode.SINGLE : UcpThreadMode.SERIALIZED));
            contexts.put(worker, context);
            Thing made = w.made(UcpWorker.class, worker, context);
            if (single) {
                singles.add(made);
            }
        }
    }

    private void configure(UcpEndpointConfig config, Worker creator) {
        config.errorHandler((endpoint, status) -> {
            Worker w = Worker.current();
            if (w.chance(2)) {
                w.attempt(closeOne());
            }
            if (w.chance(2)) {
                w.attempt(action("close a failed endpoint", 1, v -> closeKnown(v, endpoint), BUSY_CLOSE));
            }
        });
        config.errorHandling(sockets ? UcpErrorHandling.PEER : UcpErrorHandling.NONE);
        if (creator.chance(2)) {
            config.sendClientId();
        }
    }

    private static void closeKnown(Worker w, UcpEndpoint endpoint) throws Exception {
        Thing thing = w.world.known(endpoint);
        if (thing != null) {
            w.close(thing);
        }
    }

    private void connect(Worker w) throws Exception {
        if (w.countOpen(UcpEndpoint.class) >= MOST) {
            return;
        }
        Thing worker = w.take(UcpWorker.class);
        UcpWorker on = (UcpWorker) worker.object;
        if (sockets) {
            settle(w);
            InetSocketAddress to = w.chance(10)
                    ? new InetSocketAddress(loopback().getAddress(), 1)
                    : w.peek(UcpListener.class).address();
            add(w, on.createEndpoint(to, config -> configure(config, w)), worker);
        } else {
            Thing peer = w.takeAny(UcpWorker.class);
            UcpWorker there = (UcpWorker) peer.object;
            UcpAddress address = w.chance(2) ? there.address() : there.networkAddress();
            UcpEndpoint endpoint = on.createEndpoint(address, config -> configure(config, w));
            targets.put(endpoint, peer);
            w.made(UcpEndpoint.class, endpoint, on);
        }
    }

    /** An address with a bit that was changed on the way. */
    private static void damage(Worker w) {
        byte[] bytes = w.use(UcpWorker.class).address().toByteArray();
        bytes[w.random.nextInt(bytes.length)] ^= (byte) (1 << w.random.nextInt(8));
        w.expected.must(Reason.ARGUMENT);
        UcpAddress.of(bytes);
    }

    static InetSocketAddress loopback() throws Exception {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
    }

    private void add(Worker w, UcpEndpoint endpoint, Thing worker) {
        connecting.put(
                w.made(UcpEndpoint.class, endpoint, worker.object),
                endpoint.flush()); // done when the endpoint is connected, or has failed
    }

    private void listen(Worker w) throws Exception {
        if (sockets && w.countOpen(UcpListener.class) < MOST) {
            Thing worker = w.take(UcpWorker.class);
            UcpWorker on = (UcpWorker) worker.object;
            var made = new AtomicReference<Thing>();
            var listener = on.createListener(loopback(), request -> asked(new Asking(request, made)));
            made.set(w.made(UcpListener.class, listener, on));
        }
    }

    private void asked(Asking request) {
        connections.add(request);
        Worker w = Worker.current();
        if (w.chance(3)) {
            w.attempt(action("decide at once", 1, this::decide, Reason.values()));
        }
        if (w.chance(10)) {
            w.attempt(action(
                    "close a listener that is asked",
                    1,
                    v -> {
                        mustBeAtRest(1);
                        v.close(request.listener.get()); // rejects it
                    },
                    BUSY_CLOSE));
        }
    }

    private void decide(Worker w) {
        Asking asking = w.any(connections);
        UcpConnectionRequest request = asking.request;
        Thing listening = asking.listener.get().whole();
        w.expected.uses(listening, Expectation.Use.OWN);
        if (w.random.nextInt(3) > 0) {
            Thing on = w.chance(2) ? listening : w.take(UcpWorker.class);
            add(w, request.accept((UcpWorker) on.object, config -> configure(config, w)), on);
        } else {
            mustBeAtRest(1); // the client that asks
            request.reject();
        }
        connections.remove(asking);
    }

    private void close(Worker w) throws Exception {
        switch (w.random.nextInt(12)) {
            case 0 -> {
                if (w.countOpen(SlicePool.class) + w.countOpen(RegistrationCache.class) > 0) {
                    w.expected.may(Reason.IN_USE); // what they have registered
                }
                w.close(UcpContext.class);
            }
            case 1, 2 -> closeWorker(w);
            case 3, 4 -> {
                Thing listener = w.pick(UcpListener.class);
                settle(w);
                mustBeAtRest(0);
                w.close(listener);
            }
            default -> closeEndpoint(w);
        }
    }

    private void closeWorker(Worker w) throws Exception {
        Thing worker = w.pick(UcpWorker.class);
        if (targets.containsValue(worker)) {
            throw new Worker.NothingThere(); // endpoints lead to it
        }
        if (sockets) {
            settle(w);
            mustBeAtRest(0);
        }
        buffers.closing(w, worker);
        UcpWorker on = (UcpWorker) worker.object;
        if (w.chance(3)) {
            var limit = Duration.ofMillis(w.random.nextInt(10));
            w.close(worker, () -> {
                progressUntilDone(w, worker, w.chance(2) ? on.closeAsync() : on.closeAsync(limit));
                on.close();
            });
        } else {
            w.close(worker);
        }
        buffers.closed(worker);
        contexts.remove((UcpWorker) worker.object);
    }

    private void closeEndpoint(Worker w) throws Exception {
        Thing thing = w.pick(UcpEndpoint.class);
        UcpEndpoint endpoint = (UcpEndpoint) thing.object;
        Thing peer = targets.get(endpoint);
        for (int i = 0; peer != null && i < SETTLING; i++) {
            w.useThis(UcpWorker.class, peer).progress(); // refused unless both are this thread's
            w.useThis(UcpWorker.class, thing.whole()).progress();
        }
        if (sockets) {
            settle(w);
            mustBeAtRest(0);
        }
        if (sockets && w.chance(2)) {
            w.close(thing, endpoint::closeForcibly);
        } else if (w.chance(3)) {
            var limit = Duration.ofMillis(w.random.nextInt(10));
            w.close(thing, () -> {
                progressUntilDone(w, thing.whole(), w.chance(2) ? endpoint.closeAsync() : endpoint.closeAsync(limit));
                endpoint.close();
            });
        } else {
            w.close(thing);
        }
        targets.remove(endpoint);
    }

    /** For a while, because inside a callback it cannot end. */
    private void progressUntilDone(Worker w, Thing worker, CompletableFuture<Void> closed) {
        for (int i = 0; i < SETTLING && !closed.isDone(); i++) {
            w.attempt(action(
                    "progress a close",
                    1,
                    v -> v.useThis(UcpWorker.class, worker).progress(),
                    Reason.IN_CALLBACK,
                    Reason.CALLBACK));
        }
    }

    /** Whether an endpoint leads to a worker of another context, as far as that is known. */
    boolean leadsElsewhere(UcpEndpoint endpoint, UcpContext context) {
        Thing peer = targets.get(endpoint);
        return peer != null && contexts.get((UcpWorker) peer.object) != context;
    }

    private void mustBeAtRest(long connectingAtMost) {
        if (numberConnecting() > connectingAtMost) {
            throw new Worker.NothingThere(); // connections are being made
        }
    }

    private boolean isConnecting(Thing endpoint) {
        Long flush = connecting.get(endpoint);
        if (flush != null && ((UcpEndpoint) endpoint.object).isOpen()) {
            UcpRequests requests = ((UcpWorker) endpoint.whole().object).requests();
            if (!requests.isDone(flush)) {
                return true;
            }
            requests.release(flush);
        }
        connecting.remove(endpoint);
        return false;
    }

    long numberConnecting() {
        return connecting.keySet().stream().filter(this::isConnecting).count();
    }

    long numberAsking() {
        return connections.size();
    }

    /** When the threads have ended, nobody can use or close workers that were created for a single thread. */
    void leaveSingles(World world) {
        for (Thing single : singles) {
            if (single.isOpen()) {
                connecting.keySet().removeIf(endpoint -> endpoint.isPartOf(single));
                buffers.leave(world, single);
                world.forget(single);
                Thing context = world.known(contexts.get((UcpWorker) single.object));
                world.open(UcpMemory.class).stream() // which its operations may use
                        .filter(memory -> memory.isMadeOf(context))
                        .forEach(world::forget);
                UcxPools.leave(world, contexts.get((UcpWorker) single.object));
                world.forget(context);
            }
        }
    }

    /** Lets what is under way come to an end, which the thread of all workers can do. */
    void settle(Worker w) {
        List<Thing> workers = w.world.open(UcpWorker.class);
        w.expected.may(Reason.IN_CALLBACK, Reason.CALLBACK);
        for (int i = 0; i < SETTLING; i++) {
            for (Thing worker : workers) {
                w.useThis(UcpWorker.class, worker).progress();
            }
        }
    }

    private void ask(Worker w) {
        switch (w.random.nextInt(6)) {
            case 0 -> w.use(UcpContext.class).info();
            case 1 -> w.use(UcpContext.class).attributes();
            case 2 -> w.use(UcpWorker.class).attributes();
            case 3 -> w.use(UcpWorker.class).info();
            case 4 -> w.use(UcpEndpoint.class).info();
            default -> {
                UcpEndpoint endpoint = w.use(UcpEndpoint.class);
                if (endpoint.outstandingBytes() < 0) {
                    throw new AssertionError(endpoint + " has " + endpoint.outstandingBytes() + " bytes under way");
                }
                endpoint.attach(w);
                w.ignore(endpoint.attachment());
                endpoint.localAddress();
                endpoint.remoteAddress();
                endpoint.estimatedSeconds(w.random.nextInt());
                Objects.requireNonNull(endpoint.transports());
            }
        }
    }

    private void wakeUp(Worker w) throws InterruptedException {
        switch (w.random.nextInt(4)) {
            case 0 -> w.use(UcpWorker.class).wakeup().arm();
            case 1 -> w.use(UcpWorker.class).wakeup().await(Duration.ofMillis(w.random.nextInt(3)));
            case 2 -> w.use(UcpWorker.class).wakeup().fileDescriptor();
            default -> w.open(UcpWorker.class).wakeup().signal(); // by any thread
        }
    }

    private void handOver(Worker w) throws Exception {
        Thing worker = w.take(UcpWorker.class);
        Thread next = w.colleague(sockets ? 0 : w.random.nextInt(w.world.workers())).thread;
        if (next == null) {
            throw new Worker.NothingThere(); // it has not begun
        }
        worker.handOver(Expectation.Use.OWN, next, () -> ((UcpWorker) worker.object).handOver(next));
    }

    private void flush(Worker w) {
        Thing worker = w.take(UcpWorker.class);
        UcpWorker on = (UcpWorker) worker.object;
        buffers.began(worker, null, w.chance(3) ? on.flush(w.random.nextLong()) : on.flush());
    }

    private void progress(Worker w) {
        UcpWorker worker = w.use(UcpWorker.class);
        for (int i = w.random.nextInt(50); i >= 0; i--) {
            worker.progress();
        }
    }
}
