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
            .object(UcpContext.class, "the", scene -> scene.context)
            .object(UcpWorker.class, "mine", scene -> scene.mine)
            .object(UcpWorker.class, "theirs", scene -> scene.theirs)
            .object(UcpEndpoint.class, "one", scene -> scene.one)
            .object(UcpEndpoint.class, "two", scene -> scene.two)
            .object(UcpEndpoint.class, "back", scene -> scene.back)
            .object(UcpListener.class, "the", UcxScene::listener)
            .object(UcpConnectionRequest.class, "undecided", UcxScene::undecided)
            .object(UcpMemory.class, "the", UcxScene::memory)
            .object(UcpRemoteMemory.class, "of one", UcxScene::remote)
            .object(UcpRemoteMemory.class, "of two", UcxScene::otherRemote)
            .object(UcpRemoteAtomics.class, "of one", scene -> scene.remote().atomics())
            .object(UcpActiveMessages.class, "mine", scene -> scene.mine.activeMessages())
            .object(UcpActiveMessage.class, "present", UcxScene::message)
            .object(
                    UcpMessageBytes.class,
                    "of a handler",
                    scene -> scene.message().header())
            .object(UcpMessageBytes.class, "kept", scene -> scene.kept().data())
            .object(UcpKeptMessage.class, "empty", UcxScene::emptyHolder)
            .object(UcpKeptMessage.class, "eager", UcxScene::kept)
            .object(UcpKeptMessage.class, "rendezvous", UcxScene::keptRendezvous)
            .object(UcpStream.class, "of one", scene -> scene.one.stream())
            .object(UcpStream.class, "of two", scene -> scene.two.stream())
            .object(UcpStreamData.class, "empty", UcxScene::noStreamData)
            .object(UcpStreamData.class, "holding", UcxScene::streamData)
            .object(UcpReadyStreams.class, "mine", UcxScene::ready)
            .object(UcpTagMessage.class, "none", UcxScene::noneTaken)
            .object(UcpTagMessage.class, "taken", UcxScene::taken)
            .object(UcpRequests.class, "mine", scene -> scene.mine.requests())
            .object(UcpCompletions.class, "mine", UcxScene::completions)
            .object(UcpWakeup.class, "mine", scene -> scene.mine.wakeup())
            .object(UcpBuffer.class, "mine", UcxScene::buffer)
            .object(UcpIov.class, "mine", UcxScene::iov)
            .object(UcpPackedData.class, "mine", UcxScene::packed)
            .object(UcpMemoryPool.class, "the", UcxScene::pool)
            .object(UcpMemoryCache.class, "the", UcxScene::cache)
            .object(UcpAddress.class, "theirs", scene -> scene.theirs.address())
            .object(UcpPackedKey.class, "the", UcxScene::key)
            .object(UcpExportedMemory.class, "the", UcxScene::exported)
            .object(UcpContextConfig.class, "stale", scene -> scene.shared.staleConfig())
            .object(UcpWorkerConfig.class, "stale", UcxScene::workerConfig)
            .object(UcpEndpointConfig.class, "stale", UcxScene::endpointConfig)
            .object(UcpMemoryConfig.class, "stale", UcxScene::memoryConfig)
            .argument(UcpPayload.class, "", UcxScene::payload)
            .argument(MemorySegment.class, "", scene -> scene.source)
            .argument(MemorySegment.class, "header", scene -> scene.source.asSlice(0, 8))
            .argument(MemorySegment.class, "replyHeader", scene -> scene.source.asSlice(0, 8))
            .argument(InetSocketAddress.class, "at", UcxScene::loopback)
            .argument(InetSocketAddress.class, "", UcxScene::somebody)
            .argument(EventLoop.class, "", UcxScene::loop)
            .argument(UcsStatus.class, "", scene -> UcsStatus.NO_MEMORY)
            .argument(int.class, "capacity", scene -> 4)
            .argument(long.class, "request", UcxScene::request)
            .argument(long.class, "slice", UcxScene::slice)
            .argument(long.class, "lease", UcxScene::lease);

    private UcxCalls() {}

    static List<Call> all() {
        return Call.ofPackages("dev.isthmus.ucx", "dev.isthmus.buffers").stream()
                .filter(call -> !call.type().getSimpleName().startsWith("Region"))
                .toList();
    }

    /** Whether a call needs connections by socket address. */
    static boolean needsSockets(Call call) {
        return call.type() == UcpListener.class
                || call.type() == UcpConnectionRequest.class
                || List.of(call.executable().getParameterTypes()).contains(InetSocketAddress.class);
    }
}
