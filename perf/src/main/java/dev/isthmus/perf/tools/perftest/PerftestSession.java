// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.attributes.Mtu;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * perftest's exchange over one connection, from the versions to the last message. {@link #open} agrees on what both
 * ends must have in common, {@link #exchange} tells each end the other's queue pair, {@link #handShake} keeps them in
 * step, and {@link #finish} ends the test. Everything that the peer says is checked before use. Not thread-safe.
 */
public final class PerftestSession {

    /** Pages are at most this large; the buffer of a test follows the larger page of the two ends. */
    private static final int MAX_CYCLE_BUFFER = 16 << 20;

    private static final int MAX_CACHE_LINE = 64 << 10;

    /** The oldest version that perftest itself accepts. */
    static final BigDecimal OLDEST = new BigDecimal("5.70");

    /**
     * The version that we announce, that of Debian's perftest 4.5+0.17. Peers from 6.28 on exchange one more block, but
     * only with a peer that announces at least that version, so this also keeps us compatible with them.
     */
    public static final String VERSION = "6.06";

    private final OutOfBandChannel channel;
    private final Terms terms;
    private PerftestDestination mine; // our first queue pair, which every handshake of a run carries
    private Duration patience; // how long the peer may be busy with a run

    private PerftestSession(OutOfBandChannel channel, Terms terms) {
        this.channel = channel;
        this.terms = terms;
    }

    /**
     * What both ends agreed on.
     *
     * @param cycleBuffer the larger page size, bytes
     * @param cacheLine the larger cache line, bytes
     * @param mtu the smaller MTU
     */
    public record Terms(int cycleBuffer, int cacheLine, Mtu mtu) {}

    /** Exchanges versions, page sizes, cache lines and MTUs over a new connection; queue pairs' addresses come next. */
    static PerftestSession open(OutOfBandChannel channel, int cycleBuffer, int cacheLine, Mtu mtu)
            throws PerftestException {
        byte[] version = channel.exchange(ExchangeFormat.encodeVersion(VERSION));
        try {
            BigDecimal theirs = ExchangeFormat.decodeVersion(version);
            if (theirs.compareTo(OLDEST) < 0) {
                throw new PerftestException("the peer at " + channel.peer + " has perftest " + theirs + ": " + OLDEST
                        + " or newer is needed");
            }
            byte[] buffer = channel.exchange(ExchangeFormat.encodeInt(cycleBuffer));
            int theirBuffer = ExchangeFormat.decodeInt("page size", buffer, 1, MAX_CYCLE_BUFFER);
            byte[] line = channel.exchange(ExchangeFormat.encodeInt(cacheLine));
            int theirLine = ExchangeFormat.decodeInt("cache line size", line, 0, MAX_CACHE_LINE);
            Mtu theirMtu = ExchangeFormat.decodeMtu(channel.exchange(ExchangeFormat.encodeMtu(mtu)));
            Mtu smaller = mtu.compareTo(theirMtu) < 0 ? mtu : theirMtu;
            var terms = new Terms(Math.max(cycleBuffer, theirBuffer), Math.max(cacheLine, theirLine), smaller);
            return new PerftestSession(channel, terms);
        } catch (IllegalArgumentException e) {
            throw channel.broken(e);
        }
    }

    Terms terms() {
        return terms;
    }

    /** Tells the peer about our queue pair and learns about its own, which must be reachable from ours. */
    PerftestDestination exchange(PerftestDestination mine) throws PerftestException {
        PerftestDestination theirs = handShake(mine);
        boolean weMapped = mine.gid().map(Gid::isIpv4Mapped).orElse(false);
        boolean theyMapped = theirs.gid().map(Gid::isIpv4Mapped).orElse(false);
        if (weMapped != theyMapped) {
            throw new PerftestException("the peer at " + channel.peer + " has the GID "
                    + theirs.gid().map(Gid::toString).orElse("none") + ", ours is "
                    + mine.gid().map(Gid::toString).orElse("none")
                    + ": one is IPv4 and the other is not; -x chooses another");
        }
        return theirs;
    }

    /** Waits until the peer is at the same point, if neither has anything to do before; returns what it says now. */
    PerftestDestination handShake(PerftestDestination mine) throws PerftestException {
        return channel.exchange(mine, channel.deadline);
    }

    /** Both ends know each other: what follows carries this queue pair, and waits for as long as a run may take. */
    void introduced(PerftestDestination first, Duration patience) {
        mine = first;
        this.patience = patience;
    }

    /** Waits until the peer is at the same point, while it may still be measuring. */
    void handShake() throws PerftestException {
        channel.exchange(mine, patience);
    }

    /** Tells the peer what was measured here, and learns what was measured there. */
    Bandwidth exchange(Bandwidth mine) throws PerftestException {
        long bytes = exchangeLong(mine.bytes());
        long iterations = exchangeLong(mine.iterations());
        double peak = exchangeDouble(mine.peak());
        double average = exchangeDouble(mine.average());
        double rate = exchangeDouble(mine.messageRate());
        try {
            return new Bandwidth(bytes, iterations, peak, average, rate);
        } catch (IllegalArgumentException e) {
            throw channel.broken(e);
        }
    }

    private long exchangeLong(long mine) throws PerftestException {
        byte[] message = ByteBuffer.allocate(Long.BYTES).putLong(mine).array();
        return ByteBuffer.wrap(channel.exchange(message)).getLong();
    }

    private double exchangeDouble(double mine) throws PerftestException {
        return Double.longBitsToDouble(exchangeLong(Double.doubleToRawLongBits(mine)));
    }

    /** Ends a test that has no handshake at its end: the queue pair must answer until this returns. */
    void awaitPeerEnd() {
        channel.awaitPeerEnd(patience);
    }

    /** Ends the test: the last handshake, and a message that is not answered. */
    void finish() throws PerftestException {
        handShake();
        channel.sendDone();
    }
}
