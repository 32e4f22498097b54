// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.bindings.ibverbs.ibv_wc;
import dev.isthmus.bindings.ibverbs.mlx5_cqe64;
import dev.isthmus.bindings.ibverbs.mlx5_err_cqe;
import dev.isthmus.bindings.ibverbs.mlx5dv_h;
import dev.isthmus.internal.mlx5.MappedQueues;
import dev.isthmus.testbed.TestDeadlines;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Twins: of two queue pairs that are created alike, libmlx5 drives one, and Java the other. Both get the same random
 * requests and completions. What they have written must then be the same, byte by byte, and so must what they return. The
 * card does not touch their send queues, as they are in SQD; the test writes what a card would.
 *
 * <p>{@code ./isthmus test --tier connectx --only '.*DirectTwinsTest' --with requests=1000000} takes longer.
 */
@Tag("connectx")
class DirectTwinsTest {

    private static final long REQUESTS = Long.getLong("isthmus.test.requests", 20_000);
    private static final long SEED = Long.getLong("isthmus.test.seed", System.nanoTime() % 1_000_000);

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final int BLOCK = 64;
    private static final int LONGEST = 16 * BLOCK;
    private static final int ENTRIES = 64; // of the completion queues
    private static final byte PATTERN = 0x5a;

    private static final int[] SYNDROMES = {
        0x01, 0x02, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x22, 0x77
    };

    @Test
    void shouldWriteAndPollLikeLibmlx5OnRc() {
        run(QueuePairType.RC);
    }

    @Test
    void shouldWriteAndPollLikeLibmlx5OnUc() {
        run(QueuePairType.UC);
    }

    @Test
    void shouldWriteAndPollLikeLibmlx5OnUd() {
        run(QueuePairType.UD);
    }

    private static void run(QueuePairType type) {
        try (var twins = new Twins(type, SEED)) {
            twins.run(REQUESTS);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(type + ", --with seed=" + SEED + ": " + e.getMessage(), e);
        }
    }

    /** What was posted and has not completed. */
    private record Posted(int counter, int code) {}

    private static final class Twins implements AutoCloseable {

        private final SplittableRandom random;
        private final QueuePairType type;
        private final Deque<AutoCloseable> open = new ArrayDeque<>();
        private final Arena arena = Arena.ofShared();
        private final ProtectionDomain pd;
        private final List<MemoryRegion> regions = new ArrayList<>();
        private final AddressHandle path; // null unless datagrams
        private final Twin driven;
        private final Twin direct;
        private final int maxSends;
        private final int maxInline;
        private final int maxBuffers;
        private final Deque<Posted> sends = new ArrayDeque<>();
        private final List<SendRequest> used = new ArrayList<>();
        private int receives; // posted
        private int received; // completed since RESET
        private int produced; // completions
        private long requests;
        private long full;
        private long completions;
        private long resets;

        Twins(QueuePairType type, long seed) {
            this.type = type;
            this.random = new SplittableRandom(seed);
            DeviceContext device = opened(Device.list().getFirst().open());
            pd = opened(device.allocateProtectionDomain());
            maxBuffers = 1 + random.nextInt(5);
            int asked = 5 + random.nextInt(40);
            int inline = random.nextInt(400);
            int receiveBuffers = 1 + random.nextInt(4);
            boolean signalAll = random.nextBoolean();
            path = type == QueuePairType.UD
                    ? opened(pd.createAddressHandle(AddressVector.global(
                            device.defaultGid(1), device.defaultGid(1).gid())))
                    : null;
            driven = new Twin(device, asked, inline, receiveBuffers, signalAll, false);
            direct = new Twin(device, asked, inline, receiveBuffers, signalAll, true);
            assertFalse(driven.qp.isDirect());
            assertTrue(direct.qp.isDirect());
            assertEquals(driven.qp.capabilities(), direct.qp.capabilities());
            maxSends = driven.qp.capabilities().maxSendWr();
            maxInline = driven.qp.capabilities().maxInline();
            for (int i = 0; i < 4; i++) {
                MemoryRegion region = opened(pd.register(arena.allocate(4096, 8), AccessFlag.LOCAL_WRITE));
                for (int at = 0; at < 4096; at++) {
                    region.segment().set(JAVA_BYTE, at, (byte) random.nextInt());
                }
                regions.add(region);
            }
            driven.completeOne();
            direct.completeOne();
            produced = 1;
            driven.stop();
            direct.stop();
        }

        private <T extends AutoCloseable> T opened(T resource) {
            open.push(resource);
            return resource;
        }

        /** One of both. */
        private final class Twin {
            final CompletionQueue cq;
            final QueuePair qp;
            final GidEntry gid;
            final CompletionChannel channel;
            final MappedQueues memory;
            final WorkCompletions done = WorkCompletions.allocate(ENTRIES);
            int uidx; // by which libmlx5 knows it in completions

            Twin(DeviceContext device, int sends, int inline, int buffers, boolean signalAll, boolean isDirect) {
                channel = opened(device.createCompletionChannel());
                cq = opened(device.createCompletionQueue(
                        ENTRIES - 1, of -> of.direct(isDirect).channel(channel).sizeUnchecked()));
                qp = opened(pd.createQueuePair(
                        type,
                        cq,
                        cq,
                        of -> of.direct(isDirect)
                                .maxSendWr(sends)
                                .maxRecvWr(sends)
                                .maxSendSge(maxBuffers)
                                .maxRecvSge(buffers)
                                .maxInline(inline)
                                .signalAll(signalAll)));
                this.gid = device.defaultGid(1);
                bringUp();
                memory = new MappedQueues(device.ops().pollCq(), qp.handle(), cq.handle());
            }

            void bringUp() {
                if (type == QueuePairType.UD) {
                    qp.bringUp(1, 7);
                } else {
                    qp.connect(gid, qp.address(gid));
                }
            }

            /** Sends nothing to itself, so that the card names the queue pair in a completion. */
            void completeOne() {
                var nothing = SendRequest.prepare(0).signaled(true);
                if (type == QueuePairType.UD) {
                    nothing.to(path, QueuePair.MULTICAST - 1, 0); // nobody
                } else {
                    nothing.opcode(SendOpcode.RDMA_WRITE).remote(0, 0);
                }
                qp.post(nothing);
                long deadline = System.nanoTime() + TestDeadlines.ofSeconds(30).toNanos();
                while (cq.poll(done) == 0) {
                    assertTrue(System.nanoTime() < deadline, "no completion");
                    Thread.onSpinWait();
                }
                assertEquals(CompletionStatus.SUCCESS, done.status(0));
                uidx = memory.completions().get(INT, mlx5_cqe64.srqn_uidx$offset()) & 0xff_ffff;
            }

            void stop() {
                qp.modify(QueuePairTransition.to(QueuePairState.SQD));
                memory.register().fill((byte) 0);
            }
        }

        void run(long wanted) {
            while (requests < wanted || completions < wanted) {
                if (random.nextInt(300) == 0) {
                    fill();
                    reset();
                }
                switch (random.nextInt(8)) {
                    case 0, 1, 2, 3 -> postSends();
                    case 4, 5 -> postReceives();
                    case 6 -> poll(random.nextInt(8));
                    default -> {
                        poll(ENTRIES / 2);
                        arm();
                    }
                }
            }
            assertTrue(full > 0 && resets > 0, "not everything has happened");
        }

        /** Posts until the send queues are full. */
        private void fill() {
            long before = full;
            while (full == before) {
                postSends();
            }
        }

        /** Forgets everything that was posted, and the completions that are there. */
        private void reset() {
            int written = writeCompletions(random.nextInt(8));
            // libmlx5 would remove them, too, had this test not asked where the queue is.
            assertEquals(written, driven.cq.poll(driven.done));
            for (Twin twin : List.of(driven, direct)) {
                twin.qp.modify(QueuePairTransition.to(QueuePairState.RESET));
                assertEquals(0, twin.cq.poll(twin.done));
                twin.bringUp();
                twin.qp.modify(QueuePairTransition.to(QueuePairState.SQD));
            }
            sends.clear();
            receives = 0;
            received = 0;
            resets++;
        }

        private void postSends() {
            int next = Short.toUnsignedInt(driven.memory.records().get(SHORT, 6));
            clear(next);
            SendRequest first = null;
            SendRequest last = null;
            List<SendRequest> chain = new ArrayList<>();
            int length = random.nextInt(4) == 0 ? 1 + random.nextInt(Math.min(5, maxSends)) : 1;
            for (int i = 0; i < length; i++) {
                SendRequest request = length == 1 ? usedOrNew() : randomSend();
                chain.add(request);
                first = first == null ? request : first;
                if (last != null) {
                    last.next(request);
                }
                last = request;
            }
            SendRequest rest;
            if (length == 1) {
                boolean taken = driven.qp.tryPost(first);
                assertEquals(taken, direct.qp.tryPost(first), "whether it was taken");
                rest = taken ? null : first;
            } else {
                rest = driven.qp.tryPostChain(first);
                assertEquals(chain.indexOf(rest), chain.indexOf(direct.qp.tryPostChain(first)), "the first refused");
            }
            full += rest == null ? 0 : 1;
            int taken = rest == null ? length : chain.indexOf(rest);
            requests += length;
            compareSends(next, taken);
        }

        /** Makes the places that requests will be written to alike, as what they leave unused stays as it was. */
        private void clear(int next) {
            for (Twin twin : List.of(driven, direct)) {
                MemorySegment ring = twin.memory.sends();
                for (long i = 0; i < 5L * LONGEST && i < ring.byteSize(); i += BLOCK) {
                    if (i / BLOCK + outstandingBlocks(next) < ring.byteSize() / BLOCK) {
                        ring.asSlice((next * (long) BLOCK + i) % ring.byteSize(), BLOCK)
                                .fill((byte) 0);
                    }
                }
            }
        }

        private int outstandingBlocks(int next) {
            return sends.isEmpty() ? 0 : (next - sends.getFirst().counter()) & 0xffff;
        }

        private void compareSends(int from, int count) {
            int at = from;
            for (int i = 0; i < count; i++) {
                MemorySegment a = driven.memory.sends();
                MemorySegment b = direct.memory.sends();
                long start = (at * (long) BLOCK) % a.byteSize();
                int word = a.get(INT, start + 4);
                int pieces = word & 0x3f;
                assertEquals(driven.qp.qpNum(), word >>> 8);
                assertEquals((direct.qp.qpNum() << 8) | (word & 0xff), b.get(INT, start + 4), "the second word");
                int blocks = (pieces + 3) / 4;
                for (int block = 0; block < blocks; block++) {
                    long place = (start + block * (long) BLOCK) % a.byteSize();
                    for (int j = 0; j < BLOCK; j += 4) {
                        if (block != 0 || j != 4) {
                            int offset = block * BLOCK + j;
                            assertEquals(
                                    a.get(INT, place + j), b.get(INT, place + j), () -> "an entry's word at " + offset);
                        }
                    }
                }
                sends.add(new Posted(at & 0xffff, a.get(INT, start) & 0xff));
                at += blocks;
            }
            assertEquals(-1, driven.memory.records().mismatch(direct.memory.records()), "doorbell records");
            assertEquals(
                    at & 0xffff, Short.toUnsignedInt(direct.memory.records().get(SHORT, 6)));
            compareRegisters();
        }

        private void compareRegisters() {
            MemorySegment a = driven.memory.register();
            MemorySegment b = direct.memory.register();
            for (long i = 0; i < a.byteSize(); i++) {
                long inHalf = i % (a.byteSize() / 2);
                if (inHalf < 4 || inHalf >= 7) { // where the queue pair's number is
                    assertEquals(a.get(JAVA_BYTE, i), b.get(JAVA_BYTE, i), "byte " + i + " of the register");
                }
            }
        }

        /** One of those that were posted before, as it was or changed, or a new one. */
        private SendRequest usedOrNew() {
            if (used.size() < 20 || random.nextInt(20) == 0) {
                used.addFirst(randomSend());
                if (used.size() > 20) {
                    used.removeLast();
                }
            }
            SendRequest request = used.get(random.nextInt(Math.min(used.size(), 4)));
            switch (random.nextInt(6)) {
                case 0 -> request.wrId(random.nextLong());
                case 1 -> request.signaled(random.nextBoolean());
                case 2 -> change(request);
                default -> {}
            }
            return request;
        }

        private void change(SendRequest request) {
            if (request.opcode() == SendOpcode.SEND_WITH_IMM || request.opcode() == SendOpcode.RDMA_WRITE_WITH_IMM) {
                request.immediate(random.nextInt());
            } else if (request.opcode() == SendOpcode.RDMA_WRITE) {
                request.remote(random.nextLong(), random.nextInt());
            } else if (request.opcode() == SendOpcode.ATOMIC_FETCH_AND_ADD) {
                request.fetchAndAdd(8L * random.nextInt(1000), random.nextInt(), random.nextLong());
            } else if (request.sgeCount() == 1 && request.opcode() != SendOpcode.ATOMIC_CMP_AND_SWP) {
                request.length(random.nextInt((int) request.messageLength() + 1));
            }
        }

        private SendRequest randomSend() {
            int buffers = random.nextInt(maxBuffers + 1);
            var request = SendRequest.prepare(maxBuffers)
                    .wrId(random.nextLong())
                    .signaled(random.nextBoolean())
                    .solicited(random.nextBoolean())
                    .fence(random.nextInt(4) == 0);
            boolean inline = random.nextInt(3) == 0 && maxInline > 0;
            if (type == QueuePairType.UD) {
                request.opcode(random.nextBoolean() ? SendOpcode.SEND : SendOpcode.SEND_WITH_IMM)
                        .immediate(random.nextInt())
                        .to(path, random.nextInt(1 << 24), random.nextInt());
            } else {
                SendOpcode opcode = randomOpcode();
                request.opcode(opcode);
                switch (opcode) {
                    case SEND_WITH_IMM -> request.immediate(random.nextInt());
                    case SEND_WITH_INV -> request.invalidate(random.nextInt());
                    case RDMA_WRITE, RDMA_READ -> request.remote(random.nextLong(), random.nextInt());
                    case RDMA_WRITE_WITH_IMM ->
                        request.remote(random.nextLong(), random.nextInt()).immediate(random.nextInt());
                    case ATOMIC_CMP_AND_SWP ->
                        request.compareAndSwap(
                                random.nextLong() & ~7, random.nextInt(), random.nextLong(), random.nextLong());
                    case ATOMIC_FETCH_AND_ADD ->
                        request.fetchAndAdd(random.nextLong() & ~7, random.nextInt(), random.nextLong());
                    default -> {}
                }
                if (opcode == SendOpcode.ATOMIC_CMP_AND_SWP || opcode == SendOpcode.ATOMIC_FETCH_AND_ADD) {
                    return request.sge(0, region(), random.nextInt(4000), 8);
                }
                inline &= opcode != SendOpcode.RDMA_READ;
            }
            int left = inline ? random.nextInt(maxInline + 1) : type == QueuePairType.UD ? 1024 : 1 << 14;
            for (int i = 0; i < buffers; i++) {
                int length = random.nextInt(5) == 0 ? 0 : random.nextInt(Math.min(left, 2048) + 1);
                left -= length;
                request.sge(i, region(), random.nextInt(2049), length);
            }
            return request.inline(inline);
        }

        private SendOpcode randomOpcode() {
            return switch (random.nextInt(type == QueuePairType.UC ? 5 : 8)) {
                case 0 -> SendOpcode.SEND;
                case 1 -> SendOpcode.SEND_WITH_IMM;
                case 2 -> SendOpcode.SEND_WITH_INV;
                case 3 -> SendOpcode.RDMA_WRITE;
                case 4 -> SendOpcode.RDMA_WRITE_WITH_IMM;
                case 5 -> SendOpcode.RDMA_READ;
                case 6 -> SendOpcode.ATOMIC_CMP_AND_SWP;
                default -> SendOpcode.ATOMIC_FETCH_AND_ADD;
            };
        }

        private MemoryRegion region() {
            return regions.get(random.nextInt(regions.size()));
        }

        private void postReceives() {
            int most = driven.qp.capabilities().maxRecvSge();
            ReceiveRequest first = null;
            ReceiveRequest last = null;
            List<ReceiveRequest> chain = new ArrayList<>();
            int length = 1 + random.nextInt(3);
            for (int i = 0; i < length; i++) {
                var request = ReceiveRequest.prepare(most).wrId(random.nextLong());
                int buffers = random.nextInt(most + 1);
                for (int j = 0; j < buffers; j++) {
                    request.sge(j, region(), random.nextInt(2049), random.nextInt(4) == 0 ? 0 : random.nextInt(2048));
                }
                chain.add(request);
                first = first == null ? request : first;
                if (last != null) {
                    last.next(request);
                }
                last = request;
            }
            ReceiveRequest rest = driven.qp.tryPostChain(first);
            assertEquals(chain.indexOf(rest), chain.indexOf(direct.qp.tryPostChain(first)), "the first refused");
            full += rest == null ? 0 : 1;
            receives += rest == null ? length : chain.indexOf(rest);
            requests += length;
            assertEquals(-1, driven.memory.receives().mismatch(direct.memory.receives()), "receives");
            assertEquals(-1, driven.memory.records().mismatch(direct.memory.records()), "doorbell records");
        }

        /** Writes random completions into both queues, and polls both. */
        private void poll(int most) {
            int written = writeCompletions(most);
            for (Twin twin : List.of(driven, direct)) {
                MappedQueues.memory(twin.done.address(), ENTRIES * ibv_wc.sizeof())
                        .fill(PATTERN);
            }
            int taken = driven.cq.poll(driven.done);
            assertEquals(written, taken);
            assertEquals(written, direct.cq.poll(direct.done), "completions");
            completions += taken;
            for (int i = 0; i < taken; i++) {
                MemorySegment a = driven.done.completion(i);
                MemorySegment b = direct.done.completion(i);
                assertEquals(driven.qp.qpNum(), ibv_wc.qp_num(a));
                assertEquals(direct.qp.qpNum(), ibv_wc.qp_num(b));
                ibv_wc.qp_num(b, driven.qp.qpNum());
                assertEquals(-1, a.mismatch(b), () -> "a completion's byte: " + hex(a) + " and " + hex(b));
            }
            assertEquals(
                    driven.memory.completionRecords().get(INT, 0),
                    direct.memory.completionRecords().get(INT, 0),
                    "the index of what was polled");
        }

        private int writeCompletions(int most) {
            int written = 0;
            while (written < most && (!sends.isEmpty() || receives > 0)) {
                boolean ofSend = receives == 0 || (!sends.isEmpty() && random.nextBoolean());
                if (ofSend) {
                    Posted posted = sends.removeFirst();
                    for (int skip = random.nextInt(3); skip > 0 && !sends.isEmpty(); skip--) {
                        posted = sends.removeFirst();
                    }
                    writeCompletion(
                            random.nextInt(6) == 0 ? mlx5dv_h.MLX5_CQE_REQ_ERR() : mlx5dv_h.MLX5_CQE_REQ(),
                            posted.counter(),
                            posted.code());
                } else {
                    receives--;
                    int kind = random.nextInt(6);
                    // A card counts receives in their order. libmlx5 of rdma-core 44 has a count of its own, that of 56
                    // takes the card's.
                    writeCompletion(kind < 4 ? kind + 1 : kind == 4 ? mlx5dv_h.MLX5_CQE_RESP_ERR() : 2, received++, 0);
                }
                written++;
            }
            return written;
        }

        private static String hex(MemorySegment segment) {
            return HexFormat.of().formatHex(segment.toArray(JAVA_BYTE));
        }

        private void writeCompletion(int kind, int counter, int code) {
            byte[] noise = new byte[BLOCK];
            random.nextBytes(noise);
            boolean isError = kind == mlx5dv_h.MLX5_CQE_REQ_ERR() || kind == mlx5dv_h.MLX5_CQE_RESP_ERR();
            int syndrome = SYNDROMES[random.nextInt(SYNDROMES.length)];
            if (random.nextInt(20) != 0) { // libmlx5 writes lines for others
                syndrome = mlx5dv_h.MLX5_CQE_SYNDROME_WR_FLUSH_ERR();
            }
            int solicited = random.nextBoolean() ? 2 : 0;
            for (Twin twin : List.of(driven, direct)) {
                MemorySegment cqe = twin.memory.completions().asSlice((produced & (ENTRIES - 1)) * (long) BLOCK, BLOCK);
                MemorySegment.copy(noise, 0, cqe, JAVA_BYTE, 0, BLOCK - 1);
                cqe.set(INT, mlx5_cqe64.srqn_uidx$offset(), twin.uidx);
                cqe.set(INT, mlx5_cqe64.sop_drop_qpn$offset(), (code << 24) | twin.qp.qpNum());
                cqe.set(SHORT, mlx5_cqe64.wqe_counter$offset(), (short) counter);
                if (isError) {
                    cqe.set(JAVA_BYTE, mlx5_err_cqe.syndrome$offset(), (byte) syndrome);
                }
                int owner = (produced / ENTRIES) & 1;
                cqe.set(JAVA_BYTE, mlx5_cqe64.op_own$offset(), (byte) ((kind << 4) | solicited | owner));
            }
            produced++;
        }

        /** Asks both for an event. */
        private void arm() {
            boolean solicitedOnly = random.nextBoolean();
            driven.cq.requestNotify(solicitedOnly);
            long a = driven.memory.doorbell().get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN), 0);
            direct.cq.requestNotify(solicitedOnly);
            long b = direct.memory.doorbell().get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN), 0);
            assertEquals(a >>> 32, b >>> 32, "the request for an event");
            assertEquals(driven.memory.completionQueueNumber(), (int) a);
            assertEquals(direct.memory.completionQueueNumber(), (int) b);
            assertEquals(-1, driven.memory.completionRecords().mismatch(direct.memory.completionRecords()));
        }

        @Override
        public void close() {
            RuntimeException first = null;
            while (!open.isEmpty()) {
                try {
                    open.pop().close();
                } catch (Exception e) {
                    first = first == null ? new IllegalStateException(e) : first;
                }
            }
            arena.close();
            if (first != null) {
                throw first;
            }
        }
    }
}
