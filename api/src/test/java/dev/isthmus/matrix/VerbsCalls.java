// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.buffers.RegionCache;
import dev.isthmus.buffers.RegionPool;
import dev.isthmus.cm.AddressInfo;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.GroupMember;
import dev.isthmus.cm.IbAddress;
import dev.isthmus.cm.Listener;
import dev.isthmus.cm.MulticastMembership;
import dev.isthmus.cm.PathRecord;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.cm.PrivateData;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.AddressSpaceRegion;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.AsyncEvents;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.CompletionQueueConfig;
import dev.isthmus.verbs.ConnectionEstablishment;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.GlobalRouteHeader;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.MemoryWindow;
import dev.isthmus.verbs.MemoryWindowType;
import dev.isthmus.verbs.ParentDomain;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairAddress;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendBatch;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.SharedReceiveQueueConfig;
import dev.isthmus.verbs.ThreadDomain;
import dev.isthmus.verbs.WindowBinding;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.WorkRequest;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import dev.isthmus.verbs.devicememory.DeviceMemory;
import dev.isthmus.verbs.flow.Counters;
import dev.isthmus.verbs.flow.Flow;
import dev.isthmus.verbs.flow.FlowAction;
import dev.isthmus.verbs.flow.FlowRule;
import dev.isthmus.verbs.rss.ReceiveHash;
import dev.isthmus.verbs.rss.ReceiveIndirectionTable;
import dev.isthmus.verbs.rss.WorkQueue;
import dev.isthmus.verbs.tags.TagOperation;
import dev.isthmus.verbs.tags.TagQueue;
import dev.isthmus.verbs.xrc.XrcDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** All public calls of the objects of verbs and cm, with objects and arguments of a {@link VerbsScene}. */
final class VerbsCalls {

    /** Values, which no call on an object can change; and what is still being configured when its object is made. */
    private static final Set<String> VALUES = Set.of(
            "AddressVector",
            "Gid",
            "GlobalRouteHeader",
            "PathRecord",
            "PrivateData",
            "ReceiveHash",
            "ForkSafety",
            "ConnectionConfig",
            "ConnectionSetup",
            "EspConfig",
            "ExtendedCompletionQueueConfig",
            "FlowMatch",
            "GroupConfig",
            "ListenerConfig",
            "Reregistration",
            "WorkQueueConfig");

    /** Where objects and arguments of new classes belong. */
    static final Recipes<VerbsScene> RECIPES = new Recipes<VerbsScene>("dev.isthmus.matrix.VerbsCalls")
            .object(Device.class, "the", scene -> scene.context.device())
            .object(DeviceContext.class, "the", scene -> scene.context)
            .object(AsyncEvents.class, "the", scene -> scene.context.asyncEvents())
            .object(ProtectionDomain.class, "the", scene -> scene.pd)
            .object(CompletionChannel.class, "the", scene -> scene.channel)
            .object(CompletionQueue.class, "the", scene -> scene.cq)
            .object(CompletionQueue.class, "extended", scene -> scene.extended().queue())
            .object(SharedReceiveQueue.class, "the", scene -> scene.srq)
            .object(QueuePair.class, "one", scene -> scene.one)
            .object(QueuePair.class, "two", scene -> scene.two)
            .object(QueuePair.class, "UD", VerbsScene::datagrams)
            .object(QueuePair.class, "of an id", VerbsScene::connectedPair)
            .object(QueuePair.class, "in a batch", scene -> {
                scene.startedBatch();
                return scene.batched();
            })
            .object(MemoryRegion.class, "the", scene -> scene.region)
            .object(MemoryRegion.class, "of memory", scene -> scene.memory().region())
            .object(RegisteredMemory.class, "the", VerbsScene::memory)
            .object(MemoryWindow.class, "of type 2", scene -> scene.window(MemoryWindowType.TYPE_2))
            .object(MemoryWindow.class, "of type 1", scene -> scene.window(MemoryWindowType.TYPE_1))
            .object(AddressHandle.class, "the", VerbsScene::handle)
            .object(WorkCompletions.class, "one", VerbsScene::completed)
            .object(SendRequest.class, "the", VerbsScene::send)
            .object(ReceiveRequest.class, "the", VerbsScene::receive)
            .object(SendBatch.class, "idle", scene -> scene.batched().sendBatch())
            .object(SendBatch.class, "started", VerbsScene::startedBatch)
            .object(ExtendedCompletionQueue.class, "idle", VerbsScene::extended)
            .object(ExtendedCompletionQueue.class, "in a poll", VerbsScene::polling)
            .object(RegionPool.class, "the", VerbsScene::pool)
            .object(RegionCache.class, "the", VerbsScene::cache)
            .object(QueuePairTransition.class, "the", scene -> QueuePairTransition.to(QueuePairState.ERR))
            .object(CompletionQueueConfig.class, "stale", VerbsScene::queueConfig)
            .object(QueuePairConfig.class, "stale", VerbsScene::pairConfig)
            .object(SharedReceiveQueueConfig.class, "stale", VerbsScene::sharedConfig)
            .object(EventChannel.class, "the", VerbsScene::events)
            .object(ConnectionId.class, "present", VerbsScene::id)
            .object(ConnectionId.class, "listening", VerbsScene::listening)
            .object(ConnectionId.class, "requested", VerbsScene::requested)
            .object(MulticastMembership.class, "the", VerbsScene::membership)
            .object(Listener.class, "the", VerbsScene::listener)
            .object(Connection.class, "present", VerbsScene::connection)
            .object(ConnectionGroup.class, "the", VerbsScene::group)
            .object(GroupMember.class, "present", VerbsScene::member)
            .object(TagOperation.class, "the", scene -> TagOperation.prepare())
            // What few devices have.
            .object(ThreadDomain.class, "the", scene -> scene.own(scene.context.allocateThreadDomain()))
            .object(ParentDomain.class, "the", scene -> scene.own(scene.pd.allocateParentDomain(null, null)))
            .object(AddressSpaceRegion.class, "the", scene -> scene.own(scene.pd.registerAddressSpace()))
            .object(DeviceMemory.class, "the", scene -> scene.own(DeviceMemory.allocate(scene.context, 64, 8)))
            .object(XrcDomain.class, "the", scene -> scene.own(XrcDomain.open(scene.context)))
            .object(TagQueue.class, "the", scene -> TagQueue.of(scene.srq))
            .object(Flow.class, "the", scene -> scene.own(Flow.create(scene.one, rule())))
            .object(FlowAction.class, "the", scene -> scene.own(FlowAction.createEsp(scene.context, config -> {})))
            .object(Counters.class, "the", scene -> scene.own(Counters.create(scene.context)))
            .object(WorkQueue.class, "the", scene -> scene.own(WorkQueue.create(scene.pd, scene.cq, config -> {})))
            .object(
                    ReceiveIndirectionTable.class,
                    "the",
                    scene -> scene.own(ReceiveIndirectionTable.create(
                            scene.context, List.of(scene.own(WorkQueue.create(scene.pd, scene.cq, config -> {}))))))
            .argument(QueuePairType.class, "", scene -> QueuePairType.RC)
            .argument(QueuePairState.class, "", scene -> QueuePairState.INIT)
            .argument(PortSpace.class, "", scene -> PortSpace.TCP)
            .argument(MemorySegment.class, "", scene -> scene.segment.asSlice(0, 64))
            .argument(Arena.class, "", scene -> scene.arena)
            .argument(WorkRequest.class, "", VerbsScene::send)
            .argument(RemoteMemory.class, "", scene -> scene.region.remoteMemory())
            .argument(WindowBinding.class, "", scene -> WindowBinding.of(scene.region, 0, 64, AccessFlag.REMOTE_READ))
            .argument(AddressVector.class, "", scene -> AddressVector.global(scene.gid, scene.gid.gid()))
            .argument(Gid.class, "", scene -> scene.gid.gid())
            .argument(Gid.class, "group", scene -> Gid.of(scene.multicast().getAddress()))
            .argument(GidEntry.class, "", scene -> scene.gid)
            .argument(QueuePairAddress.class, "", scene -> scene.two.address(scene.gid))
            .argument(GlobalRouteHeader.class, "", scene -> GlobalRouteHeader.of(scene.segment, 0))
            .argument(ConnectionEstablishment.class, "", scene -> new ConnectionEstablishment(1, 0))
            .argument(dev.isthmus.verbs.QueuePairCapabilities.class, "", scene -> scene.one.capabilities())
            .argument(PrivateData.class, "", scene -> PrivateData.NONE)
            .argument(InetAddress.class, "", scene -> scene.address)
            .argument(InetSocketAddress.class, "", VerbsScene::any)
            .argument(InetSocketAddress.class, "to", VerbsScene::nobody)
            .argument(InetSocketAddress.class, "group", VerbsScene::multicast)
            .argument(
                    AddressInfo.class,
                    "",
                    scene -> AddressInfo.toListen(scene.address.getHostAddress(), null, PortSpace.TCP))
            .argument(IbAddress.class, "", scene -> IbAddress.of(scene.gid.gid(), PortSpace.TCP, 7))
            .argument(PathRecord.class, "", scene -> PathRecord.between(scene.gid.gid(), scene.gid.gid()))
            .argument(EventLoop.class, "", VerbsScene::loop)
            .argument(FlowRule.class, "", scene -> rule())
            .argument(ReceiveHash.class, "", scene -> ReceiveHash.toeplitz(new byte[40]))
            .argument(int.class, "port", scene -> 1)
            .argument(Path.class, "", scene -> Path.of("/"))
            .argument(int.class, "entries", scene -> 16)
            .argument(int.class, "atLeast", scene -> 64)
            .argument(int.class, "requests", scene -> 4)
            .argument(int.class, "maxSge", scene -> 1)
            .argument(int.class, "maxRegions", scene -> 1)
            .argument(int.class, "qpNum", scene -> scene.one.qpNum())
            .argument(int.class, "fileDescriptor", scene -> -1)
            .argument(long.class, "bytes", scene -> 4096L)
            .argument(long.class, "slice", VerbsScene::slice)
            .argument(long.class, "lease", VerbsScene::lease);

    private VerbsCalls() {}

    private static FlowRule rule() {
        return FlowRule.all(FlowRule.Type.ALL_DEFAULT, 1);
    }

    static List<Call> all() {
        return Call.ofPackages(
                        "dev.isthmus.cm",
                        "dev.isthmus.verbs",
                        "dev.isthmus.verbs.cqex",
                        "dev.isthmus.verbs.devicememory",
                        "dev.isthmus.verbs.flow",
                        "dev.isthmus.verbs.rss",
                        "dev.isthmus.verbs.tags",
                        "dev.isthmus.verbs.xrc",
                        "dev.isthmus.buffers")
                .stream()
                .filter(call -> !VALUES.contains(call.type().getSimpleName()))
                .filter(call -> !call.type().getSimpleName().startsWith("Ucp"))
                .toList();
    }
}
