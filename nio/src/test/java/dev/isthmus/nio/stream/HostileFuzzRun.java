// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.nio.Hosts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** The child of {@link HostileFuzzTest}. Arguments: actions, seed. */
final class HostileFuzzRun {

    private static final int ATTACKERS = 2;
    private static final int VICTIMS = 4;
    private static final long BETWEEN_EXCHANGES_MILLIS = 20;

    /** Without anything happening; twice as long is less than the JVM may take, so that a hang can be recognised. */
    private static final long LONGEST_MILLIS =
            Math.min(TestDeadlines.ofSeconds(120).toMillis(), 300_000);

    private final Company company = new Company();
    private final Queue<Stream> connected = new ConcurrentLinkedQueue<>(); // by this side, to hostile peers
    private final Queue<Stream> closed = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
    private final AtomicLong left;
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong released = new AtomicLong();
    private final AtomicLong exchanges = new AtomicLong();
    private final AtomicLong events = new AtomicLong(); // whatever happens
    private volatile boolean attacked = true;

    private HostileFuzzRun(long actions) throws Exception {
        left = new AtomicLong(actions);
    }

    public static void main(String[] args) throws Exception {
        Usage.warmUp();
        Usage before = Usage.now();
        long begin = System.nanoTime();
        var run = new HostileFuzzRun(Long.parseLong(args[0]));
        run.play(Long.parseLong(args[1]));
        run.faults.forEach(Throwable::printStackTrace);
        run.company.errors().forEach(System.out::println);
        Usage.awaitNoMoreThan(before);
        System.out.printf(
                "%s actions, %d connections, %d of this side's released, %d exchanges beside them, %d s%n",
                args[0],
                run.connections.get(),
                run.released.get(),
                run.exchanges.get(),
                (System.nanoTime() - begin) / 1_000_000_000);
        run.company.reasons().forEach((reason, count) -> System.out.println("  " + count + " " + reason));
        System.out.println("before: " + before + "\nafter:  " + Usage.now());
        System.exit(run.faults.isEmpty() && run.company.errors().isEmpty() ? 0 : 1);
    }

    private void play(long seed) throws Exception {
        Thread watch = Thread.ofPlatform().daemon().start(this::watch);
        List<Thread> attackers = IntStream.range(0, ATTACKERS)
                .mapToObj(i -> start("attacker-" + i, () -> attack(new Random(seed + i))))
                .toList();
        List<Thread> others = IntStream.range(0, VICTIMS)
                .mapToObj(i -> start("victim-" + i, () -> suffer(new Random(seed - 1 - i))))
                .toList();
        Thread beside = start("beside", this::exchange);
        join(attackers);
        attacked = false;
        join(others);
        beside.join();
        company.assertWell();
        while (!closed.isEmpty()) {
            release(closed.poll());
        }
        company.close();
        watch.interrupt();
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private interface Task {
        void run() throws Exception;
    }

    private Thread start(String name, Task task) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                task.run();
            } catch (Throwable t) {
                faults.add(t);
                left.set(0);
            }
        });
    }

    /** Prints where all threads are, and ends the process, when nothing happens any more. */
    private void watch() {
        try {
            long seen = -1;
            while (seen != events.get()) {
                seen = events.get();
                Thread.sleep(LONGEST_MILLIS);
            }
        } catch (InterruptedException e) {
            return; // all is done
        }
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            System.out.println(thread);
            for (StackTraceElement frame : frames) {
                System.out.println("    " + frame);
            }
        });
        Runtime.getRuntime().halt(3);
    }

    private boolean isLeft() {
        events.incrementAndGet();
        return left.decrementAndGet() >= 0;
    }

    private void attack(Random random) throws Exception {
        var messages = new HostileMessages(random);
        try (var listener = new RawPeer.Listener(new InetSocketAddress(Hosts.far(), 0))) {
            while (isLeft()) {
                connections.incrementAndGet();
                int how = random.nextInt(20);
                if (how == 0 && !Hosts.isIwarp()) {
                    RawPeer.halfMade(company.address()).close();
                } else if (how < 5) {
                    CompletableFuture<Stream> connecting = Company.connect(listener.address());
                    CompletableFuture<Void> added = connecting.thenAccept(connected::add);
                    try (var peer = listener.accept(messages::greet)) {
                        send(messages, peer);
                    }
                    await(added);
                } else {
                    attack(messages, random);
                }
            }
        }
    }

    private static void await(CompletableFuture<Void> added) throws Exception {
        try {
            added.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof IOException)) {
                throw e;
            }
        }
    }

    private void attack(HostileMessages messages, Random random) throws Exception {
        RawPeer peer;
        try {
            peer = RawPeer.connect(company.address(), random.nextInt(8) == 0 ? 0 : RawPeer.CREDITS, messages::greet);
        } catch (IOException e) {
            assert e != null; // it is refused, for what it said of itself
            return;
        }
        try (peer) {
            send(messages, peer);
        }
    }

    private void send(HostileMessages messages, RawPeer peer) {
        for (int i = messages.count(); i > 0 && !peer.isOver() && isLeft(); i--) {
            messages.next(peer);
        }
        messages.end(peer);
    }

    /** What a program does with connections to such peers. */
    private void suffer(Random random) throws Exception {
        while (attacked || !connected.isEmpty() || closed.size() > 100) {
            Stream stream = connected.poll();
            if (stream == null) {
                stream = company.accept(Deadlines.after(50));
            }
            if (stream != null) {
                try {
                    use(stream, random);
                } catch (IOException e) {
                    assert e != null; // as is to be expected
                }
                stream.close(random.nextInt(10) > 0);
                closed.add(stream);
            }
            while (closed.size() > 50) {
                release(closed.poll());
            }
        }
        for (Stream one = company.acceptNow(); one != null; one = company.acceptNow()) {
            one.close(true);
            closed.add(one);
        }
    }

    private void release(Stream one) throws Exception {
        if (one != null) {
            try {
                one.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                throw new AssertionError("not released: " + one, e);
            }
            released.incrementAndGet();
            events.incrementAndGet();
        }
    }

    private void use(Stream stream, Random random) throws IOException, InterruptedException {
        int wanted = random.nextInt(12);
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        int length = 0;
        for (int i = 0; i < wanted && length >= 0; i++) {
            long deadline = random.nextBoolean() ? Deadlines.NEVER : Deadlines.after(1 + random.nextInt(20));
            switch (random.nextInt(10)) {
                case 0 -> stream.shutdownInput();
                case 1 -> stream.shutdownOutput(deadline);
                case 2, 3, 4 -> {
                    int bytes = 1 + random.nextInt(5000);
                    stream.write(buffer.clear().limit(bytes), deadline);
                }
                default -> length = stream.read(buffer.clear(), deadline);
            }
        }
    }

    /** A connection that keeps the rules. */
    private void exchange() throws Exception {
        while (attacked) {
            company.exchange();
            exchanges.incrementAndGet();
            events.incrementAndGet();
            Thread.sleep(BETWEEN_EXCHANGES_MILLIS); // or that is most of what an emulated machine does
        }
    }
}
