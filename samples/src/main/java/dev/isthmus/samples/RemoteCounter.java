// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Connector;
import dev.isthmus.cm.Listener;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A counter in one process that others increment by atomic operations of its device. Each gets a number that nobody
 * else gets, and no thread of the counter's process takes part. Nor may one write to the counter meanwhile: on most
 * devices, atomics are atomic only among themselves ({@code atomic_cap} of {@code ./isthmus info -v}).
 */
public final class RemoteCounter implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final Connection connection;
    private final RegisteredMemory memory; // where that message arrives, and then what the counter was
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private final RemoteMemory counter;

    private RemoteCounter(Connection connection) throws IOException, InterruptedException {
        this.connection = connection;
        memory = (RegisteredMemory) connection.id().attachment();
        await();
        if (done.byteLength(0) != RemoteMemory.BYTES) {
            throw new IOException("the peer sent " + done.byteLength(0) + " bytes instead of a counter's address");
        }
        counter = RemoteMemory.read(memory.segment().asByteBuffer());
    }

    /**
     * Needs an RDMA device with atomic operations.
     *
     * @param args {@code serve}, and the address and port to listen at; or {@code take}, the server's address and port,
     *     and how many numbers
     * @throws IOException if the peer does not answer
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws IOException, InterruptedException {
        if (args.length < 3) {
            System.err.println("usage: RemoteCounter serve ADDRESS PORT | take ADDRESS PORT TIMES");
            System.exit(2);
        }
        var at = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        if (args[0].equals("serve")) {
            MemorySegment counter = counter();
            try (var listener = listen(at, counter)) {
                while (true) {
                    serve(listener);
                }
            }
        }
        try (var counter = connect(at)) {
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                System.out.println(counter.getAndAdd(1));
            }
        }
    }

    /** A counter for others: eight bytes at an address that is a multiple of eight. */
    static MemorySegment counter() {
        return Arena.ofAuto().allocate(JAVA_LONG);
    }

    /** Each client has a protection domain of its own, and the counter is registered in each. */
    static Listener listen(InetSocketAddress address, MemorySegment counter) {
        var listener = Listener.bind(
                address,
                config -> config.connections(setup -> setup.prepare(connection -> {
                    MemoryRegion region = connection.closeWith(connection
                            .protectionDomain()
                            .register(counter, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
                    connection.id().attach(region);
                })));
        System.out.println("listening at " + listener.localAddress());
        return listener;
    }

    /** Tells a client where the counter is, and keeps a thread waiting for its end. */
    static Thread serve(Listener listener) throws InterruptedException {
        Connection connection = listener.accept();
        var counter = (MemoryRegion) connection.id().attachment();
        var place = connection.allocate(RemoteMemory.BYTES, AccessFlag.LOCAL_WRITE);
        counter.remoteMemory().write(place.segment().asByteBuffer());
        connection.queuePair().post(SendRequest.prepare(place.region()).signaled(true));
        Thread thread = Thread.ofPlatform().unstarted(() -> awaitEnd(connection));
        connection.handOver(thread);
        thread.start();
        return thread;
    }

    private static void awaitEnd(Connection connection) {
        try (connection) {
            connection.awaitEnd(Duration.ofDays(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static RemoteCounter connect(InetSocketAddress server) throws IOException, InterruptedException {
        Connection connection = Connector.connect(
                server,
                DEADLINE,
                setup -> setup.prepare(made -> {
                    RegisteredMemory memory = made.allocate(RemoteMemory.BYTES, AccessFlag.LOCAL_WRITE);
                    made.id().attach(memory);
                    made.queuePair().post(ReceiveRequest.prepare(memory.region()));
                }));
        try {
            return new RemoteCounter(connection);
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Adds to the counter; returns what it was before. */
    long getAndAdd(long number) throws IOException, InterruptedException {
        return perform(SendRequest.prepare(memory.region()).fetchAndAdd(counter, 0, number));
    }

    /** Sets the counter if it is what is expected; returns what it was before. */
    long compareAndExchange(long expected, long number) throws IOException, InterruptedException {
        return perform(SendRequest.prepare(memory.region()).compareAndSwap(counter, 0, expected, number));
    }

    private long perform(SendRequest operation) throws IOException, InterruptedException {
        connection.queuePair().post(operation.range(0, Long.BYTES).signaled(true));
        await();
        return memory.segment().get(JAVA_LONG, 0);
    }

    private void await() throws IOException, InterruptedException {
        if (connection.await(done, DEADLINE) == 0) {
            throw new IOException("the counter cannot be reached: nothing for " + DEADLINE.toSeconds() + " s");
        }
        if (!done.isSuccess(0)) {
            throw new IOException("the counter cannot be reached: " + done.status(0));
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
