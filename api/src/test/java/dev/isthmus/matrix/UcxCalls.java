// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.buffers.UcpMemoryCache;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpBuffer;
import dev.isthmus.ucx.UcpCompletions;
import dev.isthmus.ucx.UcpConnectionRequest;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpContextConfig;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpEndpointConfig;
import dev.isthmus.ucx.UcpExportedMemory;
import dev.isthmus.ucx.UcpIov;
import dev.isthmus.ucx.UcpKeptMessage;
import dev.isthmus.ucx.UcpListener;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpMemoryConfig;
import dev.isthmus.ucx.UcpMessageBytes;
import dev.isthmus.ucx.UcpPackedData;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpReadyStreams;
import dev.isthmus.ucx.UcpRemoteAtomics;
import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpStream;
import dev.isthmus.ucx.UcpStreamData;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWakeup;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcpWorkerConfig;
import dev.isthmus.ucx.UcsStatus;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;

/** All public calls of UCX's part of the library, with objects and arguments of a {@link UcxScene}. */
final class UcxCalls {

    /** Where objects and arguments of new classes belong. */
    static final Recipes<UcxScene> RECIPES = new Recipes<UcxScene>("dev.isthmus.matrix.UcxCalls")
            .object(UcpContext.class, "the", scene -> scene.shared.context())
            .object(UcpWorker.class, "mine", scene -> scene.peers.mine)
            .object(UcpWorker.class, "theirs", scene -> scene.peers.theirs)
            .object(UcpEndpoint.class, "one", scene -> scene.peers.one)
            .object(UcpEndpoint.class, "two", scene -> scene.peers.two)
            .object(UcpEndpoint.class, "back", scene -> scene.peers.back)
            .object(UcpListener.class, "the", scene -> scene.connections.listener())
            .object(UcpConnectionRequest.class, "undecided", scene -> scene.connections.undecided())
            .object(UcpMemory.class, "the", scene -> scene.memories.registered())
            .object(UcpRemoteMemory.class, "of one", scene -> scene.memories.remote())
            .object(UcpRemoteMemory.class, "of two", scene -> scene.memories.otherRemote())
            .object(
                    UcpRemoteAtomics.class,
                    "of one",
                    scene -> scene.memories.remote().atomics())
            .object(UcpActiveMessages.class, "mine", scene -> scene.peers.mine.activeMessages())
            .object(UcpActiveMessage.class, "present", scene -> scene.messages.present())
            .object(
                    UcpMessageBytes.class,
                    "of a handler",
                    scene -> scene.messages.present().header())
            .object(
                    UcpMessageBytes.class,
                    "kept",
                    scene -> scene.messages.kept().data())
            .object(UcpKeptMessage.class, "empty", scene -> scene.messages.emptyHolder())
            .object(UcpKeptMessage.class, "eager", scene -> scene.messages.kept())
            .object(UcpKeptMessage.class, "rendezvous", scene -> scene.messages.keptRendezvous())
            .object(UcpStream.class, "of one", scene -> scene.peers.one.stream())
            .object(UcpStream.class, "of two", scene -> scene.peers.two.stream())
            .object(UcpStreamData.class, "empty", scene -> scene.messages.noStreamData())
            .object(UcpStreamData.class, "holding", scene -> scene.messages.streamData())
            .object(UcpReadyStreams.class, "mine", scene -> scene.messages.ready())
            .object(UcpTagMessage.class, "none", scene -> scene.messages.noneTaken())
            .object(UcpTagMessage.class, "taken", scene -> scene.messages.taken())
            .object(UcpRequests.class, "mine", scene -> scene.peers.mine.requests())
            .object(UcpCompletions.class, "mine", scene -> scene.messages.completions())
            .object(UcpWakeup.class, "mine", scene -> scene.peers.mine.wakeup())
            .object(UcpBuffer.class, "mine", scene -> scene.messages.buffer())
            .object(UcpIov.class, "mine", scene -> scene.messages.iov())
            .object(UcpPackedData.class, "mine", scene -> scene.messages.packed())
            .object(UcpMemoryPool.class, "the", scene -> scene.memories.pool())
            .object(UcpMemoryCache.class, "the", scene -> scene.memories.cache())
            .object(UcpAddress.class, "theirs", scene -> scene.peers.theirs.address())
            .object(UcpPackedKey.class, "the", scene -> scene.memories.key())
            .object(UcpExportedMemory.class, "the", scene -> scene.memories.exported())
            .object(UcpContextConfig.class, "stale", scene -> scene.shared.staleConfig())
            .object(UcpWorkerConfig.class, "stale", scene -> scene.peers.workerConfig())
            .object(UcpEndpointConfig.class, "stale", scene -> scene.peers.endpointConfig())
            .object(UcpMemoryConfig.class, "stale", scene -> scene.memories.config())
            .argument(UcpPayload.class, "", scene -> scene.messages.payload())
            .argument(MemorySegment.class, "", scene -> scene.bytes.source)
            .argument(MemorySegment.class, "header", scene -> scene.bytes.source.asSlice(0, 8))
            .argument(MemorySegment.class, "replyHeader", scene -> scene.bytes.source.asSlice(0, 8))
            .argument(InetSocketAddress.class, "at", scene -> UcxConnections.loopback())
            .argument(InetSocketAddress.class, "", scene -> scene.connections.somebody())
            .argument(EventLoop.class, "", scene -> scene.peers.otherLoop())
            .argument(UcsStatus.class, "", scene -> UcsStatus.NO_MEMORY)
            .argument(int.class, "capacity", scene -> 4)
            .argument(long.class, "request", scene -> scene.messages.request())
            .argument(long.class, "slice", scene -> scene.memories.slice())
            .argument(long.class, "lease", scene -> scene.memories.lease());

    private UcxCalls() {}

    static List<Call> all() {
        return Call.ofPackages("dev.isthmus.ucx", "dev.isthmus.buffers").stream()
                .filter(call -> !call.type().getSimpleName().startsWith("Region"))
                .toList();
    }

    /** Whether a call needs remote memory, which keeps its endpoint, and so the worker, from being closed. */
    static boolean holdsEndpoint(Call call) {
        return call.type() == UcpRemoteMemory.class || call.type() == UcpRemoteAtomics.class;
    }

    /** Whether a call needs connections by socket address. */
    static boolean needsSockets(Call call) {
        return call.type() == UcpListener.class || call.type() == UcpConnectionRequest.class || opensSocket(call);
    }

    /** Whether it opens a socket, to listen or to connect. */
    static boolean opensSocket(Call call) {
        return List.of(call.executable().getParameterTypes()).contains(InetSocketAddress.class);
    }
}
