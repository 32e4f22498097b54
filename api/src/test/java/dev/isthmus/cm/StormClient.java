// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Connects again and again, in a good way or in one of several bad ways. */
final class StormClient extends StormSide {

    /** How a client behaves. */
    enum Kind {
        /** Connects, and disconnects at once. */
        GOOD,
        /** Is rejected. */
        REJECTED,
        /** Requests a connection, and never takes the answer. */
        SLOW,
        /** Sends a request with garbage, and closes before there can be an answer. */
        GONE_AT_ONCE,
        /** Sends a request with garbage, and closes when it is accepted. */
        GONE_WHEN_ACCEPTED,
        /** Sends a request with garbage, and rejects the answer. */
        REJECTS,
        /** Says that it is connected without having a queue pair, and closes. */
        GONE_WHEN_CONNECTED;

        static Kind of(int number) {
            return switch (number % 20) {
                case 7 -> SLOW;
                case 3 -> number % 40 == 3 ? GONE_AT_ONCE : GONE_WHEN_ACCEPTED;
                case 13 -> number % 40 == 13 ? REJECTS : GONE_WHEN_CONNECTED;
                default -> number % 3 == 2 ? REJECTED : GOOD;
            };
        }
    }

    /** What is known of a connection. */
    private record State(Kind kind, long start) {}

    /** The kernel misses answers of a host as near as this one, and looks again when the time is over (Linux 6.1). */
    private static final Duration TRY = Duration.ofMillis(500);

    private final InetSocketAddress to;
    private final InetSocketAddress from = new InetSocketAddress(Rendezvous.near(), 0);
    private final int count;
    private final SplittableRandom random = new SplittableRandom(1);
    final Map<Kind, Integer> done = new EnumMap<>(Kind.class);
    int begun;
    private int asked;

    StormClient(Times times, InetSocketAddress to, int count) {
        super(times);
        this.to = to;
        this.count = count;
    }

    void begin() {
        if (begun < count) {
            ConnectionId id = channel.createId(PortSpace.TCP);
            open.add(id);
            id.attach(new State(Kind.of(begun), System.nanoTime()));
            begun++;
            id.resolveAddress(from, to, TRY);
        }
    }

    int doneAll() {
        return done.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static State state(ConnectionId id) {
        return (State) id.attachment();
    }

    private void done(ConnectionId id) {
        done.merge(state(id).kind(), 1, Integer::sum);
        begin();
    }

    private void endAndDone(ConnectionId id) {
        end(id);
        done(id);
    }

    @Override
    void on(CmEvent event) {
        ConnectionId id = event.id();
        switch (event) {
            case CmEvent.AddressResolved e -> {
                times.took("resolve", System.nanoTime() - state(id).start());
                id.resolveRoute(TRY);
            }
            case CmEvent.AddressError e -> id.resolveAddress(from, to, TRY);
            case CmEvent.RouteResolved e -> connect(id);
            case CmEvent.ConnectResponse e -> answered(id);
            case CmEvent.Established e -> {
                times.took("connect", System.nanoTime() - state(id).start());
                established++;
                times.timed("disconnect", id::disconnect);
            }
            case CmEvent.Rejected e -> {
                boolean asked = state(id).kind() == Kind.REJECTED
                        && e.privateData().text().equals(StormServer.SO_BE_IT);
                if (!asked) {
                    throw new AssertionError(state(id).kind() + ": " + e);
                }
                endAndDone(id);
            }
            case CmEvent.Disconnected e -> endAndDone(id);
            case CmEvent.Unreachable e -> throw new AssertionError(state(id).kind() + ": " + e);
            default -> {}
        }
    }

    private void connect(ConnectionId id) {
        Kind kind = state(id).kind();
        id.attach(new State(kind, System.nanoTime()));
        switch (kind) {
            case GOOD -> {
                queuePair(id);
                id.connect(config -> {});
            }
            case REJECTED ->
                id.connect(config ->
                        config.queuePair(unusedQpNum(), false).privateData(PrivateData.of(StormServer.REJECT)));
            default -> {
                byte[] garbage = new byte[56];
                random.nextBytes(garbage);
                id.connect(config -> config.queuePair(unusedQpNum(), false).privateData(PrivateData.of(garbage)));
                if (kind == Kind.GONE_AT_ONCE) {
                    endAndDone(id);
                }
            }
        }
    }

    /** If a number is used twice, or belongs to a connection, the kernel takes the new connection for an old one. */
    private int unusedQpNum() {
        return 0x800000 + asked++;
    }

    private void answered(ConnectionId id) {
        switch (state(id).kind()) {
            case SLOW -> done(id); // and it stays open
            case GONE_WHEN_ACCEPTED -> endAndDone(id);
            case REJECTS -> {
                id.reject(PrivateData.NONE);
                endAndDone(id);
            }
            case GONE_WHEN_CONNECTED -> {
                try {
                    id.establish();
                } catch (CmException e) {
                    throw new AssertionError(e);
                }
                endAndDone(id);
            }
            default -> throw new AssertionError(state(id).kind());
        }
    }
}
