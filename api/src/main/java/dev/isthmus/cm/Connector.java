// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;
import dev.isthmus.internal.Deadline;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Filling;
import dev.isthmus.internal.Trace;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Connects to a peer that listens. All methods are static.
 *
 * <pre>{@code
 * try (var connection = Connector.connect(
 *         new InetSocketAddress("10.0.0.2", 7471),
 *         Duration.ofSeconds(5),
 *         setup -> setup.parameters(config -> config.privateData(PrivateData.of("me"))))) { ... }
 * }</pre>
 */
public final class Connector {

    /** The time of the first try to resolve an address; each further try takes twice as long, up to the longest. */
    private static final Duration FIRST_TRY = Duration.ofMillis(125);

    private static final Duration MAX_TRY = Duration.ofSeconds(2);
    private static final int ETIMEDOUT = 110;

    private Connector() {}

    /**
     * Connects to a peer with default settings.
     *
     * @param to its address and port
     * @param deadline how long it may take in all
     * @return the connection, which the caller closes
     * @throws InterruptedException if the thread is interrupted; nothing is left open
     * @throws IllegalArgumentException if the address is not resolved, or the deadline not positive
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's rdma_cm is missing, or any device
     * @throws CmException if there is no connection: {@link CmException#failure} says why
     */
    public static Connection connect(InetSocketAddress to, Duration deadline) throws InterruptedException {
        return connect(to, deadline, setup -> {});
    }

    /**
     * Connects to a peer. On iWARP the last step blocks until the peer's host answers, or the kernel gives up.
     *
     * @param to its address and port
     * @param deadline how long it may take in all
     * @param configure sets capacities, private data, depths, retries, and more
     * @return the connection, which the caller closes
     * @throws InterruptedException if the thread is interrupted; nothing is left open
     * @throws IllegalArgumentException if an address is not resolved, or the deadline not positive
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's rdma_cm is missing, or any device
     * @throws CmException if there is no connection: {@link CmException#failure} says why
     */
    public static Connection connect(InetSocketAddress to, Duration deadline, Consumer<ConnectionSetup> configure)
            throws InterruptedException {
        var setup = new ConnectionSetup(new Filling());
        setup.filling.by(configure, setup);
        Runnable told = Trace.connecting("rdma_cm", to.toString());
        try (var undo = new Undo()) {
            EventChannel channel = undo.add(EventChannel.open());
            ConnectionId id = undo.add(channel.createId(PortSpace.TCP));
            var attempt = new Attempt(channel, id, to, Deadline.after(deadline));
            setup.applyOptions(id);
            attempt.resolveAddress(setup.from());
            id.resolveRoute(attempt.deadline.leftAtMost(Duration.ofDays(20)));
            attempt.expect(CmEvent.RouteResolved.class);
            Connection connection = undo.add(Connection.prepared(id, setup));
            id.connect(setup.parameters());
            CmEvent.Established event = attempt.expect(CmEvent.Established.class);
            connection.established(event.parameters(), channel);
            undo.keep();
            told.run();
            return connection;
        }
    }

    /** One attempt to connect. */
    private record Attempt(EventChannel channel, ConnectionId id, InetSocketAddress to, Deadline deadline) {

        /**
         * Resolves the address in several tries, each longer than the one before. The kernel can miss the answer of a
         * very near host, and looks again only after the time of the try.
         */
        void resolveAddress(InetSocketAddress from) throws InterruptedException {
            Duration time = FIRST_TRY;
            while (true) {
                id.resolveAddress(from, to, deadline.leftAtMost(time));
                CmEvent event = await("address");
                if (event instanceof CmEvent.AddressResolved) {
                    return;
                }
                boolean isTimeout = event instanceof CmEvent.AddressError && event.status() == -ETIMEDOUT;
                if (!isTimeout || deadline.hasPassed()) {
                    throw failure(event);
                }
                time = time.compareTo(MAX_TRY) < 0 ? time.multipliedBy(2) : MAX_TRY;
            }
        }

        <T extends CmEvent> T expect(Class<T> type) throws InterruptedException {
            CmEvent event = await(type.getSimpleName());
            if (!type.isInstance(event)) {
                throw failure(event);
            }
            return type.cast(event);
        }

        private CmEvent await(String what) throws InterruptedException {
            CmEvent event = channel.await(deadline.left());
            if (event == null) {
                throw CmFailures.timedOut("connect", id + " to " + to, deadline.length(), what);
            }
            return event;
        }

        private CmException failure(CmEvent event) {
            CmException failure = CmFailures.of(event, id + " to " + to);
            return failure != null
                    ? failure
                    : new CmException(
                            CmException.Failure.OTHER,
                            "RDMA_CM_EVENT_" + event.type(),
                            id + " to " + to,
                            0,
                            event.status(),
                            "unexpected, " + Errno.describe(Math.max(0, -event.status())),
                            "",
                            null);
        }
    }
}
