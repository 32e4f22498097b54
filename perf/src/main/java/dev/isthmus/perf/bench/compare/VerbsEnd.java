// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static dev.isthmus.verbs.AccessFlag.LOCAL_WRITE;
import static dev.isthmus.verbs.AccessFlag.REMOTE_WRITE;
import static dev.isthmus.verbs.QueuePairType.RC;

import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.RegisteredMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One of two connected ends in the same process, for loops that {@code verbs.c} has in C, line by line. */
record VerbsEnd(QueuePair pair, CompletionQueue queue, MemoryRegion region) {

    /** The capacity of a queue pair for requests of each kind, and half of its completion queue's. */
    static final int QUEUE = 128;

    private static final int PORT = 1;

    /** What two ends do. */
    interface Loop {
        Measured run(VerbsEnd client, VerbsEnd server) throws IOException;
    }

    /** The arguments of the loops here and in C. */
    static List<String> words(Point point, Venue venue, long iterations) {
        List<String> words = new ArrayList<>(List.of(
                venue.client().device().orElseThrow(),
                "" + venue.client().gidIndex().orElse(0),
                venue.server().device().orElseThrow(),
                "" + venue.server().gidIndex().orElse(0),
                "" + point.bytes(),
                "" + iterations));
        if (point.benchmark() == Benchmark.FIXED_RATE) {
            words.add("" + point.rate());
        }
        return words;
    }

    /** Creates both ends, each with this many bytes of memory, connects them, and runs a loop. */
    static Measured run(List<String> words, long bytes, Loop loop) throws IOException {
        try (DeviceContext client = Device.named(words.get(0)).open();
                DeviceContext server = Device.named(words.get(2)).open();
                ProtectionDomain clientDomain = client.allocateProtectionDomain();
                ProtectionDomain serverDomain = server.allocateProtectionDomain();
                RegisteredMemory source = clientDomain.allocate(bytes, LOCAL_WRITE, REMOTE_WRITE);
                RegisteredMemory target = serverDomain.allocate(bytes, LOCAL_WRITE, REMOTE_WRITE);
                CompletionQueue clientQueue = client.createCompletionQueue(2 * QUEUE);
                CompletionQueue serverQueue = server.createCompletionQueue(2 * QUEUE);
                QueuePair clientPair = pair(clientDomain, clientQueue);
                QueuePair serverPair = pair(serverDomain, serverQueue)) {
            GidEntry clientGid = client.gid(PORT, Integer.parseInt(words.get(1)));
            GidEntry serverGid = server.gid(PORT, Integer.parseInt(words.get(3)));
            serverPair.connect(serverGid, clientPair.address(clientGid));
            clientPair.connect(clientGid, serverPair.address(serverGid));
            return loop.run(
                    new VerbsEnd(clientPair, clientQueue, source.region()),
                    new VerbsEnd(serverPair, serverQueue, target.region()));
        }
    }

    private static QueuePair pair(ProtectionDomain domain, CompletionQueue queue) {
        return domain.createQueuePair(
                RC, queue, queue, config -> config.maxSendWr(QUEUE).maxRecvWr(QUEUE));
    }
}
