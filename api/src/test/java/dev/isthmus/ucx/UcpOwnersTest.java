// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.OtherThread;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Objects of a worker's thread refuse other threads: in every public method, except those that say otherwise. */
@Tag("ucx")
@Tag("host")
class UcpOwnersTest {

    private UcpPair pair;
    private UcpMemory memory;
    private UcpRemoteMemory remote;
    private UcpBuffer buffer;
    private UcpIov list;

    /** An argument for each type of parameter. */
    private final Map<Class<?>, Object> arguments = new HashMap<>();

    @BeforeEach
    void open() {
        var features = EnumSet.of(
                UcpFeature.TAG,
                UcpFeature.STREAM,
                UcpFeature.AM,
                UcpFeature.RMA,
                UcpFeature.AMO32,
                UcpFeature.AMO64,
                UcpFeature.WAKEUP);
        pair = new UcpPair(
                config -> config.set("TLS", UcxTransports.any()).features(features),
                UcpPair.closingWithin(Duration.ofSeconds(5)));
        memory = pair.context.allocate(4096);
        remote = pair.endpoint.unpack(memory.packKey());
        MemorySegment bytes = pair.arena.allocate(8);
        buffer = UcpBuffer.of(pair.sender, bytes);
        list = UcpIov.allocate(pair.sender, 2);
        arguments.putAll(Map.of(
                int.class,
                0,
                long.class,
                8L,
                Thread.class,
                new Thread(),
                Object.class,
                "",
                MemorySegment.class,
                bytes));
        arguments.putAll(Map.of(
                UcpAddress.class,
                pair.receiver.address(),
                InetSocketAddress.class,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 9),
                Consumer.class,
                (Consumer<Object>) config -> {},
                UcpConnectionHandler.class,
                (UcpConnectionHandler) request -> {},
                UcpActiveMessageHandler.class,
                (UcpActiveMessageHandler) message -> {}));
        arguments.putAll(Map.of(
                UcpCompletions.class,
                UcpCompletions.allocate(1),
                UcpTagMessage.class,
                UcpTagMessage.of(pair.sender),
                UcpStreamData.class,
                UcpStreamData.of(pair.sender),
                Duration.class,
                Duration.ofSeconds(1),
                UcpPackedKey.class,
                memory.packKey()));
        arguments.putAll(Map.of(
                UcpPayload.class,
                buffer,
                UcpBuffer.class,
                buffer,
                UcpMemory.class,
                memory,
                UcpRemoteMemory.class,
                remote,
                UcpAtomic.class,
                UcpAtomic.ADD,
                UcpMemoryType.class,
                UcpMemoryType.HOST,
                UcpOperationOption[].class,
                new UcpOperationOption[0]));
    }

    @AfterEach
    void close() {
        remote.close();
        memory.close();
        pair.close();
    }

    private void assertOwned(Object object, String... free) throws Exception {
        OtherThread.assertRefused(object, arguments, free);
    }

    @Test
    void shouldRefuseTheWorkerOfAnotherThread() throws Exception {
        assertOwned(pair.sender, "activeMessages/0", "requests/0", "wakeup/0"); // which are the same each time
        assertOwned(pair.sender.requests());
        assertOwned(pair.sender.wakeup(), "signal/0");
        assertOwned(pair.sender.activeMessages(), "maxHeaderBytes/0");
    }

    @Test
    void shouldRefuseTheEndpointsOfAnotherThread() throws Exception {
        assertOwned(
                pair.endpoint,
                "attach/1",
                "attachment/0",
                "isOpen/0",
                "isFailed/0",
                "failure/0",
                "failureCode/0",
                "stream/0"); // these report what happened on the other thread
        assertOwned(pair.endpoint.stream(), "endpoint/0");
        assertOwned(remote, "address/0", "byteSize/0", "atomics/0");
        assertOwned(remote.atomics());
    }

    @Test
    void shouldRefuseThePayloadsOfAnotherThread() throws Exception {
        assertOwned(buffer, "byteSize/0");
        assertOwned(list, "byteSize/0", "size/0");
    }

    @Test
    void shouldRefuseTheListenersOfAnotherThread() throws Exception {
        try (var sockets = new SocketPair("tcp,self")) {
            assertOwned(sockets.listener, "address/0", "isOpen/0");
            var endpoint = sockets.connect(config -> config.errorHandling(UcpErrorHandling.PEER));
            UcpConnectionRequest request = sockets.request();
            arguments.put(UcpWorker.class, sockets.server);
            assertOwned(request, "clientAddress/0", "clientId/0", "isUndecided/0");
            sockets.exchange(endpoint, sockets.keep(request.accept()), 8);
        }
    }
}
