// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.cm.Listener;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class RemoteCounterTest {

    private static final int CLIENTS = 3;
    private static final int NUMBERS = 50; // for each

    @Test
    void shouldGiveEachNumberToOneOfTheClients() throws Exception {
        MemorySegment counter = RemoteCounter.counter();
        var taken = new ConcurrentLinkedQueue<Long>();
        var before = new ConcurrentLinkedQueue<Long>();
        try (Listener listener = RemoteCounter.listen(new InetSocketAddress(DeviceAddress.last(), 0), counter)) {
            InetSocketAddress at = listener.localAddress();
            var clients = new ArrayList<Future<Void>>();
            var servers = new ArrayList<Thread>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(Task.start(() -> {
                    try (var remote = RemoteCounter.connect(at)) {
                        for (int n = 0; n < NUMBERS; n++) {
                            taken.add(remote.getAndAdd(1));
                        }
                        before.add(remote.compareAndExchange(CLIENTS * NUMBERS, -1)); // the last to come does it
                    }
                }));
            }
            for (int i = 0; i < CLIENTS; i++) {
                servers.add(RemoteCounter.serve(listener));
            }
            for (Future<Void> client : clients) {
                client.get();
            }
            for (Thread server : servers) {
                server.join();
            }
        }
        List<Long> all = LongStream.range(0, CLIENTS * NUMBERS).boxed().toList();
        assertEquals(all, taken.stream().sorted().toList());
        assertEquals(1, before.stream().filter(n -> n == CLIENTS * NUMBERS).count());
        assertEquals(-1, counter.get(JAVA_LONG, 0));
    }

    @Test
    void shouldPrintWhatThePageShows() throws Exception {
        SamplesPage.Command take = SamplesPage.commands("RemoteCounter").getLast();
        List<String> printed = Output.of(() -> {
            try (Listener listener =
                    RemoteCounter.listen(new InetSocketAddress(DeviceAddress.last(), 0), RemoteCounter.counter())) {
                InetSocketAddress at = listener.localAddress();
                Future<Void> taking =
                        Task.start(() -> RemoteCounter.main(take.with("take", at.getHostString(), "" + at.getPort())));
                Thread serving = RemoteCounter.serve(listener);
                taking.get();
                serving.join();
            }
        });
        SamplesPage.assertPrint(printed, "RemoteCounter");
    }
}
