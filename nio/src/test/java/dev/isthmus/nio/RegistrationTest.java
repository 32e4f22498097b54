// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.nio.stream.Watchers;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.channels.SelectionKey;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Registrations while a selector is at work. */
@Tag("unit")
class RegistrationTest {

    /** After so many looks in vain a selector asks a channel no more, but waits until it is notified. */
    private static final int MANY_LOOKS = 100;

    /** Any channel whose selectors are notified when something changes, as one over RDMA. */
    private static final class ToldOf extends Selectable {

        @Override
        int ready(int operations, int found, boolean arm) {
            return operations;
        }
    }

    @Test
    void shouldNotMissWhatChangesAmidOne() throws Exception {
        try (RdmaSelector selector = RdmaSelector.open();
                var channel = new SwitchedSocketChannel(new RdmaSelectorProvider(), null)) {
            channel.configureBlocking(false);
            var selectable = (SwitchedSelectable) channel.selectable();
            Watchers watchers = selectable.watchers();
            Running<SelectionKey> registering;
            synchronized (watchers) { // which keeps the registration from ending
                registering = Running.of(() -> channel.register(selector, SelectionKey.OP_CONNECT))
                        .awaitMonitor();
                for (int i = 0; i < MANY_LOOKS; i++) {
                    assertEquals(0, selector.selectNow());
                }
                selectable.choose(new ToldOf());
            }
            registering.get();
            assertEquals(1, selector.select(TestDeadlines.ofSeconds(30).toMillis()));
        }
    }
}
