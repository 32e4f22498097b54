// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.util.ResourceLeakDetector;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that go back and forth for a while: nothing is copied, and no garbage is made. */
@Tag("device")
@Tag("extended")
class SteadyStateTest {

    private static final int WARM_UP = 2000;

    @ParameterizedTest
    @ValueSource(ints = {64, 16_384})
    void shouldNeitherCopyNorAllocate(int bytes) throws Exception {
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // its records are garbage
        try (var pairs = new Pairs(1)) {
            Channel server = pairs.listen(EchoHandler::new);
            var pings = new MessageCosts.Pings(bytes, WARM_UP);
            pairs.connect(server, pings);
            assertTrue(pings.over.await(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
            assertEquals(0, pings.copied());
            assertEquals(0, pings.leastAllocated());
        } finally {
            ResourceLeakDetector.setLevel(before);
        }
    }
}
