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

/** One of two connected ends in the same process, for loops that {@code verbs.c} has in C, line by line. */
record VerbsEnd(QueuePair pair, CompletionQueue queue, MemoryRegion region) {

    /** The capacity of a queue pair for requests of each kind, and half of its completion queue's. */
    static final int QUEUE = 128;

    private static final int PORT = 1;

    /** What two ends do. */
    interface Loop {
        Measured run(VerbsEnd client, VerbsEnd server) throws IOException;
    }

    /** Creates both ends, each with this many bytes of memory, connects them, and runs a loop. */
    static Measured run(Job job, long bytes, Loop loop) throws IOException {
        try (DeviceContext client = open(job.client());
                DeviceContext server = open(job.server());
                ProtectionDomain clientDomain = client.allocateProtectionDomain();
                ProtectionDomain serverDomain = server.allocateProtectionDomain();
                RegisteredMemory source = clientDomain.allocate(bytes, LOCAL_WRITE, REMOTE_WRITE);
                RegisteredMemory target = serverDomain.allocate(bytes, LOCAL_WRITE, REMOTE_WRITE);
                CompletionQueue clientQueue = client.createCompletionQueue(2 * QUEUE);
                CompletionQueue serverQueue = server.createCompletionQueue(2 * QUEUE);
                QueuePair clientPair = pair(clientDomain, clientQueue);
                QueuePair serverPair = pair(serverDomain, serverQueue)) {
            GidEntry clientGid = gid(client, job.client());
            GidEntry serverGid = gid(server, job.server());
            serverPair.connect(serverGid, clientPair.address(clientGid));
            clientPair.connect(clientGid, serverPair.address(serverGid));
            return loop.run(
                    new VerbsEnd(clientPair, clientQueue, source.region()),
                    new VerbsEnd(serverPair, serverQueue, target.region()));
        }
    }

    private static DeviceContext open(Venue.End end) {
        return Device.named(end.device().orElseThrow()).open();
    }

    private static GidEntry gid(DeviceContext context, Venue.End end) {
        return context.gid(PORT, end.gidIndex().orElse(0));
    }

    private static QueuePair pair(ProtectionDomain domain, CompletionQueue queue) {
        return domain.createQueuePair(
                RC, queue, queue, config -> config.maxSendWr(QUEUE).maxRecvWr(QUEUE));
    }
}
