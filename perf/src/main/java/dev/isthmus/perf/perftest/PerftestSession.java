package dev.isthmus.perf.perftest;

import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.Mtu;

/**
 * perftest's exchange over one connection, from the versions to the good-bye: {@link #open} agrees on what both ends
 * must have in common, {@link #exchange} tells each the other's queue pair, {@link #handShake} keeps them in step and
 * {@link #finish} ends the test. Nothing that the peer says is used before it was checked. Not thread-safe.
 */
public final class PerftestSession {

    /** Pages are at most this large; the buffer of a test follows the larger page of the two ends. */
    private static final int MAX_CYCLE_BUFFER = 16 << 20;

    private static final int MAX_CACHE_LINE = 64 << 10;

    private final PerftestConnection connection;
    private final Terms terms;

    private PerftestSession(PerftestConnection connection, Terms terms) {
        this.connection = connection;
        this.terms = terms;
    }

    /**
     * What both ends agreed on.
     *
     * @param peerVersion the version that the peer announced
     * @param cycleBuffer the larger page size, bytes
     * @param cacheLine the larger cache line, bytes
     * @param mtu the smaller MTU
     */
    public record Terms(PerftestVersion peerVersion, int cycleBuffer, int cacheLine, Mtu mtu) {}

    /**
     * Exchanges versions, page sizes, cache lines and MTUs.
     *
     * @param connection a new connection
     * @param cycleBuffer our page size, bytes
     * @param cacheLine our cache line, bytes
     * @param mtu the MTU that we could use
     * @return the session, for the queue pairs' addresses next
     * @throws PerftestException if the peer speaks another version or something else
     */
    public static PerftestSession open(PerftestConnection connection, int cycleBuffer, int cacheLine, Mtu mtu)
            throws PerftestException {
        byte[] version = connection.exchange(Wire.encodeVersion(PerftestVersion.OURS));
        try {
            PerftestVersion theirs = Wire.decodeVersion(version);
            if (!theirs.isSupported()) {
                throw new PerftestException("the peer at " + connection.peer() + " has perftest " + theirs + ": "
                        + PerftestVersion.OLDEST + " or newer is needed");
            }
            byte[] buffer = connection.exchange(Wire.encodeInt(cycleBuffer));
            int theirBuffer = Wire.decodeInt("page size", buffer, 1, MAX_CYCLE_BUFFER);
            byte[] line = connection.exchange(Wire.encodeInt(cacheLine));
            int theirLine = Wire.decodeInt("cache line size", line, 0, MAX_CACHE_LINE);
            Mtu theirMtu = Wire.decodeMtu(connection.exchange(Wire.encodeMtu(mtu)));
            Mtu smaller = mtu.compareTo(theirMtu) < 0 ? mtu : theirMtu;
            var terms = new Terms(theirs, Math.max(cycleBuffer, theirBuffer), Math.max(cacheLine, theirLine), smaller);
            return new PerftestSession(connection, terms);
        } catch (IllegalArgumentException e) {
            throw connection.broken(e);
        }
    }

    /**
     * What was agreed on.
     *
     * @return the terms
     */
    public Terms terms() {
        return terms;
    }

    /**
     * Tells the peer about our queue pair and learns about its own.
     *
     * @param mine our queue pair; the peer must have a GID exactly when we have one
     * @return the peer's
     * @throws PerftestException if the peer's cannot be connected to ours
     */
    public PerftestDestination exchange(PerftestDestination mine) throws PerftestException {
        PerftestDestination theirs = handShake(mine);
        boolean weMapped = mine.gid().map(Gid::isIpv4Mapped).orElse(false);
        boolean theyMapped = theirs.gid().map(Gid::isIpv4Mapped).orElse(false);
        if (weMapped != theyMapped) {
            throw new PerftestException("the peer at " + connection.peer() + " has the GID "
                    + theirs.gid().map(Gid::toString).orElse("none") + ", ours is "
                    + mine.gid().map(Gid::toString).orElse("none")
                    + ": one is IPv4, the other is not; -x chooses another");
        }
        return theirs;
    }

    /**
     * Waits until the peer has come to the same point.
     *
     * @param mine our queue pair, as before
     * @return what the peer says about its own now
     * @throws PerftestException if the peer is gone
     */
    public PerftestDestination handShake(PerftestDestination mine) throws PerftestException {
        byte[] theirs = connection.exchange(Wire.encodeDestination(mine));
        try {
            return Wire.decodeDestination(theirs);
        } catch (IllegalArgumentException e) {
            throw connection.broken(e);
        }
    }

    /**
     * Ends the test: the last hand-shake and the good-bye, which nobody answers.
     *
     * @param mine our queue pair, as before
     * @throws PerftestException if the peer is gone
     */
    public void finish(PerftestDestination mine) throws PerftestException {
        handShake(mine);
        connection.write(Wire.DONE);
    }
}
