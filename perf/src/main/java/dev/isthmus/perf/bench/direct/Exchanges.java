// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GlobalRouteHeader;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;

/** Does one of each operation, and says what came of it in words that are the same wherever it does the same. */
record Exchanges(DeviceContext context, boolean direct, Map<String, String> results) {

    private static final int BYTES = 64;
    private static final int LONG = 4000; // more than one packet of a small MTU
    private static final int IMMEDIATE = 0x1234_5678;

    /** The results by the names of the operations. */
    static Map<String, String> run(DeviceContext context, boolean direct) {
        var exchanges = new Exchanges(context, direct, new LinkedHashMap<>());
        for (QueuePairType type : new QueuePairType[] {QueuePairType.RC, QueuePairType.UC}) {
            try (var pair = new DirectPair(context, type, direct)) {
                exchanges.messages(pair, type + " ");
            }
        }
        try (var pair = new DirectPair(context, QueuePairType.RC, direct)) {
            exchanges.accesses(pair);
        }
        try (var pair = new DirectPair(context, QueuePairType.UD, direct)) {
            exchanges.datagrams(pair);
        }
        exchanges.failures();
        return exchanges.results;
    }

    private static SendRequest request(DirectPair pair, int length) {
        return SendRequest.prepare(pair.region).range(0, length).signaled(true);
    }

    private void messages(DirectPair pair, String type) {
        exchange(pair, type + "SEND of nothing", request(pair, 0), 1);
        exchange(pair, type + "SEND", request(pair, BYTES), 1);
        exchange(pair, type + "SEND, long", request(pair, LONG), 1);
        exchange(pair, type + "SEND, inline", request(pair, BYTES).inline(true), 1);
        exchange(pair, type + "SEND, solicited", request(pair, BYTES).solicited(true), 1);
        exchange(pair, type + "SEND with immediate", immediate(request(pair, BYTES), SendOpcode.SEND_WITH_IMM), 1);
        exchange(pair, type + "SEND of two buffers", twoBuffers(pair), 1);
        SendRequest write = remote(pair, request(pair, BYTES), SendOpcode.RDMA_WRITE_WITH_IMM);
        exchange(pair, type + "WRITE with immediate", write.immediate(IMMEDIATE), 1);
        SendRequest chain = request(pair, BYTES).signaled(false).next(request(pair, BYTES));
        exchange(pair, type + "two SENDs in a chain, one signaled", chain, 2);
    }

    /** What RC alone has, and what tells nobody on UC when it has arrived. */
    private void accesses(DirectPair pair) {
        exchange(pair, "RC WRITE", remote(pair, request(pair, BYTES), SendOpcode.RDMA_WRITE), 0);
        exchange(pair, "RC WRITE, long", remote(pair, request(pair, LONG), SendOpcode.RDMA_WRITE), 0);
        exchange(pair, "RC WRITE, inline", remote(pair, request(pair, BYTES).inline(true), SendOpcode.RDMA_WRITE), 0);
        exchange(pair, "RC READ", remote(pair, request(pair, BYTES), SendOpcode.RDMA_READ), 0);
        exchange(pair, "RC READ, long", remote(pair, request(pair, LONG), SendOpcode.RDMA_READ), 0);
        exchange(pair, "RC SEND behind a fence", request(pair, BYTES).fence(true), 1);
        int rkey = pair.region.rkey();
        long one = pair.target();
        exchange(pair, "RC fetch-and-add", request(pair, Long.BYTES).fetchAndAdd(one, rkey, 5), 0);
        exchange(pair, "RC compare-and-swap", request(pair, Long.BYTES).compareAndSwap(one, rkey, 0, 9), 0);
    }

    private void datagrams(DirectPair pair) {
        int qpNum = pair.receiver.qpNum();
        for (int length : new int[] {BYTES, 0}) {
            SendRequest send = request(pair, length).to(pair.path, qpNum, DirectPair.QKEY);
            exchange(pair, "UD SEND of " + length + " bytes", send, 1);
        }
        SendRequest send = request(pair, BYTES).to(pair.path, qpNum, DirectPair.QKEY);
        exchange(pair, "UD SEND with immediate", immediate(send, SendOpcode.SEND_WITH_IMM), 1);
    }

    /** Each on queue pairs of its own, which end in ERR. */
    private void failures() {
        fail(
                "RC WRITE with a wrong key",
                pair -> request(pair, BYTES).opcode(SendOpcode.RDMA_WRITE).remote(pair.target(), ~pair.region.rkey()));
        fail(
                "RC READ beyond the region",
                pair -> request(pair, BYTES)
                        .opcode(SendOpcode.RDMA_READ)
                        .remote(pair.region.address() + 2 * DirectPair.BYTES, pair.region.rkey()));
        fail("RC SEND longer than the receive", pair -> {
            pair.receiver.post(ReceiveRequest.prepare(pair.region).range(DirectPair.BYTES, 1));
            return request(pair, BYTES);
        });
    }

    private interface Failing {
        SendRequest request(DirectPair pair);
    }

    /** Posts a request that fails and one behind it, then a receive to a queue pair in ERR. */
    private void fail(String name, Failing failing) {
        try (var pair = new DirectPair(context, QueuePairType.RC, direct)) {
            pair.sender.post(failing.request(pair).wrId(1));
            pair.sender.post(request(pair, BYTES).wrId(2));
            var text = new StringBuilder("sent");
            for (int left = 2; left > 0; left -= pair.sent.count()) {
                pair.awaitSent();
                describe(text, pair.sent);
            }
            pair.receiver.modify(QueuePairTransition.to(QueuePairState.ERR));
            pair.receiver.post(ReceiveRequest.prepare(pair.region).wrId(3));
            text.append("; received");
            do {
                pair.awaitReceived();
                describe(text, pair.received);
            } while (pair.received.wrId(pair.received.count() - 1) != 3);
            results.put(name, text.toString());
        }
    }

    private static SendRequest immediate(SendRequest request, SendOpcode opcode) {
        return request.opcode(opcode).immediate(IMMEDIATE);
    }

    private static SendRequest remote(DirectPair pair, SendRequest request, SendOpcode opcode) {
        return request.opcode(opcode).remote(pair.target(), pair.region.rkey());
    }

    private static SendRequest twoBuffers(DirectPair pair) {
        return SendRequest.prepare(2)
                .sge(0, pair.region, 8, 24)
                .sge(1, pair.region, 100, 50)
                .signaled(true);
    }

    private static ReceiveRequest receive(DirectPair pair) {
        return ReceiveRequest.prepare(pair.region).range(DirectPair.BYTES, DirectPair.BYTES);
    }

    private void exchange(DirectPair pair, String name, SendRequest request, int receives) {
        MemorySegment memory = pair.region.segment();
        for (long i = 0; i < memory.byteSize(); i += Long.BYTES) { // both halves differ
            memory.set(ValueLayout.JAVA_LONG, i, (i + 1) * 0x9e37_79b9_7f4a_7c15L);
        }
        memory.set(ValueLayout.JAVA_LONG, DirectPair.BYTES, 0); // what atomics work on
        for (int i = 0; i < receives; i++) {
            pair.receiver.post(receive(pair).wrId(10 + i));
        }
        if (request.next() == null) {
            pair.sender.post(request.wrId(1));
        } else if (pair.sender.tryPostChain(request) != null) {
            throw new IllegalStateException("a queue is full, although it is drained");
        }
        var text = new StringBuilder("sent");
        pair.awaitSent();
        describe(text, pair.sent);
        if (receives > 0) {
            text.append("; received");
        }
        for (int left = receives; left > 0; left -= pair.received.count()) {
            pair.awaitReceived();
            describe(text, pair.received);
        }
        if (pair.path != null) { // the header in front of a datagram has what changes from one to the next
            memory.asSlice(DirectPair.BYTES, GlobalRouteHeader.BYTES).fill((byte) 0);
        }
        var sum = new CRC32();
        sum.update(memory.asByteBuffer());
        results.put(
                name,
                text.append("; memory ")
                        .append(Long.toHexString(sum.getValue()))
                        .toString());
    }

    private static void describe(StringBuilder text, WorkCompletions done) {
        for (int i = 0; i < done.count(); i++) {
            text.append(' ').append(done.wrId(i)).append(' ').append(done.status(i));
            if (!done.isSuccess(i)) {
                continue;
            }
            text.append(' ').append(done.opcode(i));
            switch (done.opcode(i)) {
                case SEND, RDMA_WRITE -> {}
                default -> text.append(' ').append(done.byteLength(i)).append(" bytes");
            }
            if (done.hasImmediate(i) && done.opcode(i).isReceive()) {
                text.append(" immediate ").append(Integer.toHexString(done.immediate(i)));
            }
        }
    }
}
