package dev.isthmus.perf.perftest;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.LinkLayer;
import dev.isthmus.verbs.Mtu;
import dev.isthmus.verbs.PortAttributes;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * One end of a send latency test over RC, the whole session: the counterpart is {@code ib_send_lat} or another one of
 * these, in either role. Everything is made for the session and closed with it, as in C.
 */
public final class SendLat {

    /** The buffers begin on pages; what perftest calls the cycle buffer. */
    private static final int PAGE = 4096;

    private static final int CACHE_LINE = 64;

    /** perftest's inline size for a send over RC, on the vendors' devices that it knows. */
    private static final int DEFAULT_INLINE = 236;

    /** Mellanox, Intel, Chelsio: on others, Soft-RoCE among them, perftest sends nothing inline. */
    private static final int[] INLINE_VENDORS = {0x2c9, 0x8086, 0x1425};

    private SendLat() {}

    /** Told how far a session has come, to print it. */
    public interface Listener {

        /**
         * The device is open, and nobody has connected yet.
         *
         * @param setup how the test will run
         */
        default void ready(Setup setup) {}

        /**
         * Both ends know each other.
         *
         * @param mtu the MTU that they agreed on
         * @param mine this end
         * @param theirs the other end
         */
        default void connected(Mtu mtu, PerftestDestination mine, PerftestDestination theirs) {}
    }

    /**
     * How a test will run.
     *
     * @param device the name of the device
     * @param mtu the largest MTU that this end can use
     * @param linkLayer what the port runs on
     * @param lid the port's LID, 0 on Ethernet
     * @param gid the GID in use, if any
     * @param inlineBytes up to which size messages are inline
     * @param receiveDepth how many receives are posted ahead
     */
    public record Setup(
            String device,
            Mtu mtu,
            LinkLayer linkLayer,
            int lid,
            Optional<GidEntry> gid,
            int inlineBytes,
            int receiveDepth) {}

    /**
     * Runs one session.
     *
     * @param options the test; both ends must have the same size and iterations
     * @param patience for how long the server waits for a client, zero without end; the client does not wait
     * @param listener is told how far it has come
     * @return when each message was posted, nanoseconds
     * @throws PerftestException if the peer fails
     * @throws dev.isthmus.RdmaException if a verb fails
     */
    public static long[] run(SendLatOptions options, Duration patience, Listener listener) throws PerftestException {
        Device device = options.device().map(Device::named).orElseGet(Device::first);
        try (DeviceContext context = device.open()) {
            PortAttributes port = context.port(options.ibPort());
            Optional<GidEntry> gid = chooseGid(context, port, options);
            int inline = options.inlineBytes().orElseGet(() -> defaultInline(context));
            var setup = new Setup(
                    device.name(),
                    chooseMtu(port, options),
                    port.linkLayer(),
                    port.lid(),
                    gid,
                    inline,
                    options.receiveDepth());
            listener.ready(setup);
            try (var connection = meet(options, patience)) {
                var session = PerftestSession.open(connection, PAGE, CACHE_LINE, setup.mtu());
                return new SendLatRun(options, setup, connection, session, listener).run(context);
            }
        }
    }

    private static PerftestConnection meet(SendLatOptions options, Duration patience) throws PerftestException {
        Duration deadline = PerftestConnection.DEFAULT_DEADLINE;
        return options.server().isPresent()
                ? PerftestConnection.connect(options.server().get(), options.tcpPort(), deadline)
                : PerftestConnection.accept(options.tcpPort(), patience, deadline);
    }

    private static Optional<GidEntry> chooseGid(DeviceContext context, PortAttributes port, SendLatOptions options) {
        if (options.gidIndex().isPresent()) {
            return Optional.of(context.gid(options.ibPort(), options.gidIndex().getAsInt()));
        }
        return port.linkLayer() == LinkLayer.ETHERNET
                ? Optional.of(context.defaultGid(options.ibPort()))
                : Optional.empty();
    }

    private static Mtu chooseMtu(PortAttributes port, SendLatOptions options) {
        Mtu active = port.activeMtu();
        return options.mtu().filter(wanted -> wanted.compareTo(active) < 0).orElse(active);
    }

    private static int defaultInline(DeviceContext context) {
        int vendor = context.attributes().vendorId();
        return Arrays.stream(INLINE_VENDORS).anyMatch(known -> known == vendor) ? DEFAULT_INLINE : 0;
    }
}
