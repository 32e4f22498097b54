// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.exchange.AddressExchange;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A direct queue pair and one of another process, which is direct or driven by libmlx5, give each other data to check. */
@Tag("connectx")
class DirectBetweenProcessesTest {

    private static final Duration LIMIT = TestDeadlines.ofSeconds(60);

    @ParameterizedTest
    @CsvSource({"RC, true", "RC, false", "UD, true", "UD, false"})
    void shouldExchangeDataWithAnotherProcess(QueuePairType type, boolean peerIsDirect) throws Exception {
        var jvm = new ChildJvm().options("--enable-native-access=ALL-UNNAMED");
        try (var child = new ChildProgram(jvm.command(Peer.class, type.name(), Boolean.toString(peerIsDirect)))) {
            int port = Integer.parseInt(child.await("port "));
            try (var end = new End(Device.list().getFirst(), type, true)) {
                try (var exchange =
                        AddressExchange.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LIMIT)) {
                    end.connect(exchange);
                }
                for (int turn = 0; turn < End.TURNS; turn++) {
                    end.give(turn, 2 * turn);
                    end.take(turn, 2 * turn + 1);
                }
            } catch (AssertionError e) {
                throw new AssertionError("the other process printed " + child.lines(), e);
            }
            assertTrue(child.ended().contains("took and gave all"));
        }
    }

    /** The other process: the server. */
    static final class Peer {

        private Peer() {}

        public static void main(String... args) throws IOException {
            try (var listener = AddressExchange.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    var end = new End(
                            Device.list().getLast(), QueuePairType.valueOf(args[0]), Boolean.parseBoolean(args[1]))) {
                System.out.println("port " + listener.address().getPort());
                try (var exchange = listener.accept(LIMIT, LIMIT)) {
                    end.connect(exchange);
                }
                for (int turn = 0; turn < End.TURNS; turn++) {
                    end.take(turn, 2 * turn);
                    end.give(turn, 2 * turn + 1);
                }
            }
            System.out.println("took and gave all");
        }
    }

    /** One end, whose region has a place for what it gives and one for what it takes. */
    private static final class End implements AutoCloseable {

        /** Many times the queues' room, which their rings go round; the last one is no READ, during which the other end ends. */
        static final int TURNS = 301;

        private static final int ROOM = 16;
        private static final long PLACE = 1 << 16;
        private static final int INLINE = 64;
        private static final int[] LENGTHS = {1, 8, 63, 64, 65, 1000, 4096, 40_000};
        private static final int DATAGRAM_LENGTHS = 6; // of those, that fit a packet

        private final Deque<AutoCloseable> open = new ArrayDeque<>();
        private final QueuePairType type;
        private final DeviceContext device;
        private final ProtectionDomain pd;
        private final CompletionQueue sends;
        private final CompletionQueue receives;
        private final QueuePair qp;
        private final MemoryRegion region;
        private final WorkCompletions done = WorkCompletions.allocate(1);
        private final SendRequest data; // of either kind
        private final SendRequest word;
        private final ReceiveRequest receive;
        private AddressHandle path; // null unless datagrams
        private QueuePairAddress peer;
        private RemoteMemory peersMemory;

        End(Device which, QueuePairType type, boolean direct) {
            this.type = type;
            device = opened(which.open());
            pd = opened(device.allocateProtectionDomain());
            sends = opened(device.createCompletionQueue(2 * ROOM, queue -> queue.direct(direct)));
            receives = opened(device.createCompletionQueue(2 * ROOM, queue -> queue.direct(direct)));
            qp = opened(pd.createQueuePair(
                    type,
                    sends,
                    receives,
                    config -> config.direct(direct)
                            .maxSendWr(ROOM)
                            .maxRecvWr(ROOM)
                            .maxInline(INLINE)));
            assertEquals(direct, qp.isDirect());
            Arena arena = opened(Arena.ofConfined());
            region = opened(pd.register(
                    arena.allocate(2 * PLACE, 8),
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_WRITE,
                    AccessFlag.REMOTE_READ));
            data = SendRequest.prepare(region).signaled(true);
            word = SendRequest.prepare(region).range(0, 0).signaled(true);
            receive = ReceiveRequest.prepare(region).range(PLACE, PLACE);
        }

        private <T extends AutoCloseable> T opened(T resource) {
            open.push(resource);
            return resource;
        }

        void connect(AddressExchange exchange) throws IOException {
            GidEntry gid = device.defaultGid(1);
            ByteBuffer mine = region.remoteMemory()
                    .write(ByteBuffer.allocate(RemoteMemory.BYTES))
                    .flip();
            AddressExchange.Remote remote = exchange.swap(qp.address(gid), mine);
            peer = remote.address();
            peersMemory = RemoteMemory.read(remote.data());
            if (type == QueuePairType.UD) {
                qp.bringUp(1, RcPair.QKEY);
                path = opened(pd.createAddressHandle(AddressVector.global(gid, peer.gid())));
            } else {
                qp.connect(gid, peer);
            }
            qp.post(receive);
            exchange.ready();
        }

        /** Lets the other end have data, by the operation whose turn it is. */
        void give(int turn, int seed) {
            int length = length(turn);
            for (int i = 0; i < length; i++) {
                memory().set(ValueLayout.JAVA_BYTE, i, value(seed, i));
            }
            data.range(0, length).inline(length <= INLINE && seed % 3 == 0);
            switch (operation(turn)) {
                case SEND ->
                    post(addressed(data.opcode(SendOpcode.SEND_WITH_IMM)).immediate(seed));
                case RDMA_WRITE -> {
                    post(data.opcode(SendOpcode.RDMA_WRITE).remote(peersMemory, PLACE));
                    tell(seed);
                }
                default -> tell(seed); // that it may read
            }
        }

        private void tell(int seed) {
            post(word.opcode(SendOpcode.SEND_WITH_IMM).immediate(seed));
        }

        /** Waits for data from the other end, or reads it, and checks each byte. */
        void take(int turn, int seed) {
            int length = length(turn);
            await(receives);
            assertEquals(CompletionOpcode.RECV, done.opcode(0));
            assertEquals(seed, done.immediate(0));
            int header = type == QueuePairType.UD ? GlobalRouteHeader.BYTES : 0;
            assertEquals(
                    header + (operation(turn) == SendOpcode.SEND ? length : 0),
                    done.byteLength(0),
                    () -> operation(turn) + " of " + length);
            if (operation(turn) == SendOpcode.RDMA_READ) {
                post(SendRequest.prepare(region)
                        .range(PLACE, length)
                        .opcode(SendOpcode.RDMA_READ)
                        .remote(peersMemory, 0)
                        .signaled(true));
            }
            long at = PLACE + header;
            for (int i = 0; i < length; i++) {
                int index = i;
                assertEquals(
                        value(seed, i),
                        memory().get(ValueLayout.JAVA_BYTE, at + i),
                        () -> "byte " + index + " of " + operation(turn) + " of " + length);
            }
            assertEquals(0, memory().get(ValueLayout.JAVA_BYTE, at + length), "what is behind it");
            memory().asSlice(PLACE, PLACE).fill((byte) 0);
            qp.post(receive);
        }

        private SendOpcode operation(int turn) {
            if (type == QueuePairType.UD) {
                return SendOpcode.SEND;
            }
            return switch (turn % 3) {
                case 0 -> SendOpcode.SEND;
                case 1 -> SendOpcode.RDMA_WRITE;
                default -> SendOpcode.RDMA_READ;
            };
        }

        private int length(int turn) {
            return LENGTHS[turn / 3 % (type == QueuePairType.UD ? DATAGRAM_LENGTHS : LENGTHS.length)];
        }

        private static byte value(int seed, int index) {
            return (byte) (Integer.rotateLeft((seed + 1) * 0x9e37_79b9 + index * 0x85eb_ca6b, 13) | 1); // never 0
        }

        private SendRequest addressed(SendRequest request) {
            return path == null ? request : request.to(path, peer.qpNum(), RcPair.QKEY);
        }

        private void post(SendRequest request) {
            qp.post(request);
            await(sends);
        }

        private void await(CompletionQueue queue) {
            long begin = System.nanoTime();
            while (queue.poll(done) == 0) {
                assertTrue(System.nanoTime() - begin < LIMIT.toNanos(), "no completion has come");
                Thread.onSpinWait();
            }
            assertTrue(done.isSuccess(0), done::toString);
        }

        private MemorySegment memory() {
            return region.segment();
        }

        @Override
        public void close() {
            try {
                while (!open.isEmpty()) {
                    open.pop().close();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
