package dev.isthmus.ucx;

import dev.isthmus.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * The child of {@link UcpSafetyTest}: threads that call anything in any order, on objects that they share.
 *
 * <p>One rule of UCX is kept, because breaking it ends a C program too: peers let what is under way come to rest before one
 * of them closes. So an endpoint is closed by the thread of both its workers, and a worker when no endpoint leads to it.
 *
 * <p>With connections by socket address all workers are of one thread, into whose objects the other intrudes, and nothing
 * is closed or rejected while a connection is being made: UCX may take a late event of the closed socket for one of the
 * next socket of that number (docs/ucx-faults.md).
 */
final class UcpSafetyRun {

    private static final int THREADS = 2;
    private static final long BUFFER_BYTES = 1 << 20;
    private static final int MOST = 6; // of each kind
    private static final int SETTLING = 100; // calls of progress
    private static final long MOST_CONNECTING_NANOS = 5_000_000_000L;
    private static final long MOST_NANOS = 120_000_000_000L; // for the least number of actions

    /** An action; what it may throw, it throws. */
    private interface Action {
        void run() throws InterruptedException;
    }

    private final String tls;
    private final boolean sockets; // how endpoints are connected
    private final long least; // actions that succeed, and as many that are refused
    private final MemorySegment buffer = Arena.global().allocate(BUFFER_BYTES);
    private final List<UcpContext> contexts = new CopyOnWriteArrayList<>();
    private final List<UcpWorker> workers = new CopyOnWriteArrayList<>();
    private final List<UcpEndpoint> endpoints = new CopyOnWriteArrayList<>();
    private final Map<UcpEndpoint, UcpWorker> targets = new ConcurrentHashMap<>();
    private final Map<UcpEndpoint, Long> connecting = new ConcurrentHashMap<>(); // a flush of each, over sockets
    private final List<UcpListener> listeners = new CopyOnWriteArrayList<>();
    private final List<UcpConnectionRequest> connections = new CopyOnWriteArrayList<>();
    private final List<Long> requests = new CopyOnWriteArrayList<>();
    private final UcpSafetyMessages messages = new UcpSafetyMessages(buffer, requests);
    private final UcpSafetyPayloads payloads = new UcpSafetyPayloads(buffer, requests);
    private final UcpSafetyMemory memory = new UcpSafetyMemory(buffer, requests);
    private final Thread[] threads = new Thread[THREADS];
    private final LongAdder done = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final AtomicReference<Throwable> unexpected = new AtomicReference<>();

    private UcpSafetyRun(String tls, boolean sockets, long least) {
        this.tls = tls;
        this.sockets = sockets;
        this.least = least;
    }

    public static void main(String[] args) throws InterruptedException {
        var run = new UcpSafetyRun(args[0], Boolean.parseBoolean(args[3]), Long.parseLong(args[4]));
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L;
        long seed = Long.parseLong(args[2]);
        for (int i = 0; i < THREADS; i++) {
            var random = new Random(seed + i);
            run.threads[i] = Thread.ofPlatform().unstarted(() -> run.play(random, end));
        }
        for (Thread thread : run.threads) {
            thread.start();
        }
        for (Thread thread : run.threads) {
            thread.join();
        }
        Throwable t = run.unexpected.get();
        if (t != null) {
            t.printStackTrace(System.out);
            System.exit(1);
        }
        System.out.println("done " + run.done + " refused " + run.refused);
        run.closeAll(); // the objects of threads that have ended belong to whoever comes
        System.exit(0);
    }

    // Until the time is over, and for longer on a machine that has done less than is worth the test by then.
    private void play(Random random, long end) {
        while (unexpected.get() == null && (System.nanoTime() - end < 0 || isTooLittle(end))) {
            attempt(() -> act(random));
        }
    }

    private boolean isTooLittle(long end) {
        return Math.min(done.sum(), refused.sum()) <= least && System.nanoTime() - end < MOST_NANOS;
    }

    private void attempt(Action action) {
        try {
            action.run();
            done.increment();
        } catch (IllegalStateException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | WrongThreadException
                | RdmaException
                | InterruptedException e) {
            refused.increment(); // as it should be
        } catch (Throwable t) {
            unexpected.compareAndSet(null, t);
        }
    }

    private void act(Random random) throws InterruptedException {
        switch (random.nextInt(45)) {
            case 0 -> createContext(random);
            case 1 -> createWorker(random);
            case 2, 3 -> connect(random);
            case 4 -> listen(random);
            case 5 -> decide(random);
            case 6 -> closeOne(random);
            case 7 -> ask(random);
            case 8 -> wakeUp(random);
            case 9 -> any(workers, random).handOver(threads[sockets ? 0 : random.nextInt(THREADS)]);
            case 10, 11, 12 -> send(random);
            case 13, 14 -> receive(random);
            case 15 -> end(random);
            case 16 -> messages.handle(any(workers, random), random, () -> attempt(() -> closeOne(random)));
            case 17, 18, 19 -> messages.send(any(endpoints, random), random);
            case 20, 21 -> messages.use(random);
            case 22 -> payloads.make(any(workers, random), random, () -> attempt(() -> closeOne(random)));
            case 23, 24 -> payloads.use(any(endpoints, random), random);
            case 25, 26, 27 -> payloads.stream(any(endpoints, random), random);
            case 28 -> payloads.poll(random);
            case 29 -> payloads.probe(any(workers, random), random);
            case 30 -> memory.own(any(contexts, random), random);
            case 31 -> unpack(any(endpoints, random), random);
            case 32, 33, 34, 35 -> memory.use(random);
            default -> progress(random);
        }
    }

    private void unpack(UcpEndpoint endpoint, Random random) {
        memory.unpack(endpoint, targets.get(endpoint), random);
    }

    static <T> T any(List<T> of, Random random) {
        List<T> copy = List.copyOf(of);
        if (copy.isEmpty()) {
            throw new IllegalStateException("there is none");
        }
        return copy.get(random.nextInt(copy.size()));
    }

    private void createContext(Random random) {
        if (contexts.size() < 2) {
            var features = EnumSet.allOf(UcpFeature.class);
            if (random.nextInt(4) == 0) {
                features.removeIf(feature -> feature != UcpFeature.AM && random.nextBoolean());
            }
            contexts.add(UcpContext.create(config -> config.set("TLS", tls).features(features)));
        }
    }

    private void createWorker(Random random) {
        boolean intruder = sockets && Thread.currentThread().threadId() != threads[0].threadId();
        if (workers.size() < MOST && !intruder) {
            workers.add(any(contexts, random)
                    .createWorker(config -> config.clientId(random.nextLong())
                            .reservedRequests(1 + random.nextInt(4))
                            .closeTimeout(Duration.ofMillis(random.nextInt(30)))
                            .threadMode(random.nextInt(5) == 0 ? UcpThreadMode.SINGLE : UcpThreadMode.SERIALIZED)));
        }
    }

    private void configure(UcpEndpointConfig config, Random random) {
        config.errorHandler((endpoint, status) -> {
            if (random.nextBoolean()) {
                attempt(() -> closeOne(random));
            }
            if (random.nextBoolean()) {
                endpoint.close();
            }
        });
        config.errorHandling(sockets ? UcpErrorHandling.PEER : UcpErrorHandling.NONE);
        if (random.nextBoolean()) {
            config.sendClientId();
        }
    }

    private void connect(Random random) {
        if (sockets) {
            connectSocket(random);
        } else if (endpoints.size() < 2 * MOST) {
            UcpWorker peer = any(workers, random);
            UcpAddress address = random.nextBoolean() ? peer.address() : peer.networkAddress();
            UcpEndpoint endpoint = any(workers, random).createEndpoint(address, config -> configure(config, random));
            targets.put(endpoint, peer);
            endpoints.add(endpoint);
        }
    }

    private void connectSocket(Random random) {
        if (endpoints.size() < 2 * MOST) {
            settle();
            InetSocketAddress to = random.nextInt(10) == 0
                    ? new InetSocketAddress(UcxTransports.listenAddress().getAddress(), 1)
                    : any(listeners, random).address();
            add(any(workers, random).createEndpoint(to, config -> configure(config, random)));
        }
    }

    private void add(UcpEndpoint endpoint) {
        endpoints.add(endpoint);
        connecting.put(endpoint, endpoint.flush()); // done when the endpoint is connected, or has failed
    }

    private void listen(Random random) {
        if (sockets && listeners.size() < MOST) {
            listeners.add(any(workers, random).createListener(UcxTransports.listenAddress(), request -> {
                connections.add(request);
                if (random.nextInt(3) == 0) {
                    attempt(() -> decide(random));
                }
                if (random.nextInt(10) == 0) {
                    attempt(() -> {
                        mustBeAtRest(1);
                        request.listener().close(); // rejects it
                    });
                }
            }));
        }
    }

    private void decide(Random random) {
        UcpConnectionRequest request = any(connections, random);
        if (random.nextInt(3) > 0) {
            UcpWorker on = random.nextBoolean() ? request.listener().worker() : any(workers, random);
            add(request.accept(on, config -> configure(config, random)));
        } else {
            mustBeAtRest(1); // the client that asks
            request.reject();
        }
        connections.remove(request);
    }

    private void closeOne(Random random) {
        switch (random.nextInt(12)) {
            case 0 -> close(contexts, any(contexts, random));
            case 1, 2 -> closeWorker(any(workers, random));
            case 3, 4 -> {
                settle();
                mustBeAtRest(0);
                close(listeners, any(listeners, random));
            }
            default -> closeEndpoint(any(endpoints, random), random.nextBoolean());
        }
    }

    private void closeWorker(UcpWorker worker) {
        if (targets.containsValue(worker)) {
            throw new IllegalStateException("endpoints lead to it");
        }
        if (sockets) {
            settle();
            mustBeAtRest(0);
        }
        close(workers, worker);
    }

    private void closeEndpoint(UcpEndpoint endpoint, boolean forcibly) {
        UcpWorker peer = targets.get(endpoint);
        for (int i = 0; peer != null && i < SETTLING; i++) {
            peer.progress(); // refused unless both are this thread's
            endpoint.worker().progress();
        }
        if (sockets) {
            settle();
            mustBeAtRest(0);
        }
        if (forcibly && sockets) {
            endpoint.closeForcibly();
            endpoints.remove(endpoint);
        } else {
            close(endpoints, endpoint);
        }
        targets.remove(endpoint);
    }

    private void mustBeAtRest(long connectingAtMost) {
        if (numberConnecting() > connectingAtMost) {
            throw new IllegalStateException("connections are being made");
        }
    }

    private boolean isConnecting(UcpEndpoint endpoint) {
        Long flush = connecting.get(endpoint);
        if (flush != null && endpoint.isOpen()) {
            UcpRequests requests = endpoint.worker().requests();
            if (!requests.isDone(flush)) {
                return true;
            }
            requests.release(flush);
        }
        connecting.remove(endpoint);
        return false;
    }

    private long numberConnecting() {
        return connecting.keySet().stream().filter(this::isConnecting).count();
    }

    /** Lets what is under way come to rest, which the thread of all workers can do. */
    private void settle() {
        for (int i = 0; i < SETTLING; i++) {
            for (UcpWorker worker : workers) {
                worker.progress();
            }
        }
    }

    private static <T extends AutoCloseable> void close(List<T> of, T object) {
        close(object);
        of.remove(object);
    }

    private static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void ask(Random random) {
        switch (random.nextInt(6)) {
            case 0 -> any(contexts, random).info();
            case 1 -> any(contexts, random).attributes();
            case 2 -> any(workers, random).attributes();
            case 3 -> any(workers, random).info();
            case 4 -> any(endpoints, random).info();
            default -> {
                UcpEndpoint endpoint = any(endpoints, random);
                endpoint.localAddress();
                endpoint.remoteAddress();
                endpoint.estimatedSeconds(random.nextInt());
                endpoint.transports();
            }
        }
    }

    private void wakeUp(Random random) throws InterruptedException {
        UcpWakeup wakeup = any(workers, random).wakeup();
        switch (random.nextInt(4)) {
            case 0 -> wakeup.arm();
            case 1 -> wakeup.await(Duration.ofMillis(random.nextInt(3)));
            case 2 -> wakeup.fileDescriptor();
            default -> wakeup.signal();
        }
    }

    private void send(Random random) {
        UcpEndpoint endpoint = any(endpoints, random);
        long size = random.nextInt(4) == 0 ? random.nextInt((int) BUFFER_BYTES + 2) : random.nextInt(100);
        switch (random.nextInt(5)) {
            case 0 -> requests.add(endpoint.flush());
            case 1 -> requests.add(any(workers, random).flush());
            case 2 -> {
                var ignored = endpoint.tagSendAsync(buffer.asSlice(0, Math.min(size, BUFFER_BYTES)), random.nextInt(4));
            }
            default -> requests.add(endpoint.tagSend(buffer, 0, size, random.nextInt(4)));
        }
    }

    private void receive(Random random) {
        UcpWorker worker = any(workers, random);
        if (random.nextBoolean()) {
            requests.add(worker.tagReceive(buffer, 0, random.nextInt(200_000), random.nextInt(4), random.nextInt(4)));
        } else {
            worker.tagReceiveAsync(buffer, random.nextInt(4), UcpWorker.EXACT_TAG)
                    .cancel(random.nextBoolean());
        }
    }

    private void end(Random random) {
        UcpRequests of = any(workers, random).requests();
        long request = random.nextInt(20) == 0 ? random.nextLong() : any(requests, random);
        if (random.nextBoolean()) {
            of.cancel(request);
        }
        of.isDone(request);
        of.length(request);
        of.release(request);
        requests.remove(request);
    }

    private void progress(Random random) {
        UcpWorker worker = any(workers, random);
        for (int i = random.nextInt(50); i >= 0; i--) {
            worker.progress();
        }
    }

    private void closeAll() {
        long end = System.nanoTime() + MOST_CONNECTING_NANOS;
        while (numberConnecting() > connections.size() && System.nanoTime() - end < 0) {
            attempt(this::settle);
        }
        memory.remotes().forEach(remote -> attempt(() -> UcpSafetyRun.close(remote)));
        for (UcpEndpoint endpoint : endpoints) {
            attempt(endpoint::closeForcibly);
        }
        for (UcpListener listener : listeners) {
            attempt(listener::close);
        }
        for (UcpWorker worker : workers) {
            attempt(worker::close);
        }
        memory.memories().forEach(one -> attempt(() -> UcpSafetyRun.close(one)));
        for (UcpContext context : contexts) {
            attempt(context::close);
        }
    }
}
