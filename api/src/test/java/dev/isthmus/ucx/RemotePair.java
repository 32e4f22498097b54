// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;

/** Two workers of one thread, the first with an endpoint to the second and access to a memory there. */
final class RemotePair implements AutoCloseable {

    static final EnumSet<UcpFeature> FEATURES =
            EnumSet.of(UcpFeature.TAG, UcpFeature.RMA, UcpFeature.AMO32, UcpFeature.AMO64);

    final UcpPair pair;
    final Arena arena;
    final UcpMemory memory;
    final UcpRemoteMemory remote;

    /** With memory that UCX allocated. */
    RemotePair(String tls, long bytes) {
        this(tls, bytes, true);
    }

    RemotePair(String tls, long bytes, boolean allocated) {
        pair = new UcpPair(
                config -> config.set("TLS", tls).features(FEATURES), UcpPair.closingWithin(Duration.ofSeconds(5)));
        arena = pair.arena;
        memory = allocated ? pair.context.allocate(bytes) : pair.context.register(arena.allocate(bytes, 64));
        memory.segment().fill((byte) 0);
        remote = pair.endpoint.unpack(memory.packKey());
    }

    MemorySegment segment() {
        return memory.segment();
    }

    UcpRequests requests() {
        return pair.sender.requests();
    }

    /** Ends an operation of the first worker, checks that it went well, and releases it. */
    void end(long request) {
        pair.await(pair.sender, request);
        if (requests().statusCode(request) != 0) {
            throw new AssertionError("ended as " + requests().status(request));
        }
        requests().release(request);
    }

    /** Ends an atomic operation, and returns what it fetched. */
    long fetch(long request) {
        pair.await(pair.sender, request);
        long fetched = requests().fetched(request);
        end(request);
        return fetched;
    }

    /** Ends everything that was begun, at the target too. */
    void flush() {
        end(pair.endpoint.flush());
    }

    /** A buffer with bytes that the seed determines. */
    MemorySegment filled(long bytes, int seed) {
        MemorySegment buffer = arena.allocate(Math.max(1, bytes)).asSlice(0, bytes);
        UcpPair.fill(buffer, seed);
        return buffer;
    }

    @Override
    public void close() {
        remote.close();
        memory.close();
        pair.close();
    }
}
