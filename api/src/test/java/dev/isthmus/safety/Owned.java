// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpListener;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpReadyStreams;
import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpStreamData;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.MemoryWindow;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import java.util.List;

/** The classes whose objects belong to one thread at a time. */
final class Owned {

    private static final List<Class<?>> CLASSES = List.of(
            QueuePair.class,
            CompletionQueue.class,
            ExtendedCompletionQueue.class,
            SharedReceiveQueue.class,
            AddressHandle.class,
            MemoryWindow.class,
            UcpWorker.class,
            SendRequest.class,
            ReceiveRequest.class);

    /** Objects that belong to the thread of the object that they were created from. */
    private static final List<Class<?>> PARTS = List.of(
            UcpEndpoint.class,
            UcpListener.class,
            UcpRemoteMemory.class,
            UcpTagMessage.class,
            UcpStreamData.class,
            UcpReadyStreams.class,
            UcpPayload.class);

    private Owned() {}

    static boolean isPart(Object object) {
        return PARTS.stream().anyMatch(type -> type.isInstance(object));
    }

    static boolean is(Object object) {
        return CLASSES.stream().anyMatch(type -> type.isInstance(object));
    }
}
