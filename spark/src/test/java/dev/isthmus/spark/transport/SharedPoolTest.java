// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpFeature;
import java.util.EnumSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The share of a pool's slices that peers get. */
@Tag("ucx")
@Tag("host")
class SharedPoolTest {

    private static final int SLICES = 4;
    private static final int SLICE = 64 << 10;

    /** While nobody has a slice, a refusal does not say that there is only one. */
    @Test
    void shouldShareAllThatThereIsAfterRefusal() {
        try (var context = UcpContext.create(
                        config -> config.set("TLS", "tcp,self").features(EnumSet.of(UcpFeature.RMA)));
                var pool = UcpMemoryPool.create(context, SLICE, SLICES * SLICE)) {
            var shared = new SharedPool(pool, _ -> {});
            long[] elsewhere = LongStream.generate(pool::acquire).limit(SLICES).toArray();
            assertEquals(0, shared.tryAcquire(0, 1));
            for (long slice : elsewhere) {
                pool.release(slice);
            }
            for (int peer = 0; peer < SLICES; peer++) {
                long slice = shared.tryAcquire(0, 1);
                assertNotEquals(0, slice, "for peer " + peer);
                elsewhere[peer] = slice;
            }
            assertEquals(0, shared.tryAcquire(0, 1));
            for (long slice : elsewhere) {
                shared.release(slice);
            }
        }
    }
}
