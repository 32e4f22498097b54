// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.GlobalRouteHeader;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.util.List;

/** Prepares the requests of a run, all of them before it begins. */
record Requests(Endpoint end, List<PerftestDestination> theirs, int bytes) {

    private static final long ADD = 1;
    private static final long COMPARE = 0;
    private static final long SWAP = 0;

    /** A send of a queue pair, in one of the places that they have in turn. */
    SendRequest send(int pair, int place, boolean signaled) {
        long step = (long) place * end.stride(bytes);
        MemoryRegion region = end.memory.region();
        SendRequest request = SendRequest.prepare(region)
                .wrId(pair)
                .range(end.sendOffset(pair) + step, bytes)
                .signaled(signaled);
        PerftestDestination to = theirs.get(pair);
        long address = to.address() + step;
        switch (end.plan.test().verb()) {
            case SEND -> {
                if (end.plan.isDatagram()) {
                    Endpoint.Target target = end.target(pair);
                    request.to(target.handle(), target.qpNum(), target.qkey());
                }
            }
            case WRITE -> request.opcode(SendOpcode.RDMA_WRITE).remote(address, to.rkey());
            case READ -> request.opcode(SendOpcode.RDMA_READ).remote(address, to.rkey());
            case ATOMIC -> {
                if (end.plan.traffic().atomic == SendOpcode.ATOMIC_FETCH_AND_ADD) {
                    request.fetchAndAdd(address, to.rkey(), ADD);
                } else {
                    request.compareAndSwap(address, to.rkey(), COMPARE, SWAP);
                }
            }
        }
        return end.plan.test().verb().isFetch() ? request : request.inline(bytes <= end.setup.inlineBytes());
    }

    /** Sends for each of the places. */
    SendRequest[] sends(int pair, boolean signaled) {
        SendRequest[] ring = new SendRequest[end.places(bytes)];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = send(pair, i, signaled);
        }
        return ring;
    }

    /** A chain of sends, some of them signaled. */
    SendRequest chain(int pair) {
        int places = end.places(bytes);
        SendRequest first = null;
        for (int i = end.plan.queues().postList - 1; i >= 0; i--) {
            boolean signaled = (i + 1) % end.plan.queues().cqMod == 0;
            first = send(pair, i % places, signaled).next(first);
        }
        return first;
    }

    /** Receives for each of the places. */
    ReceiveRequest[] receives(int pair) {
        int header = end.plan.isDatagram() ? GlobalRouteHeader.BYTES : 0;
        long begin = end.receiveOffset(pair) + (header == 0 ? 0 : Endpoint.DATAGRAM_PAYLOAD - header);
        ReceiveRequest[] ring = new ReceiveRequest[end.places(bytes)];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = ReceiveRequest.prepare(end.memory.region())
                    .wrId(pair)
                    .range(begin + (long) i * end.stride(bytes), bytes + (long) header);
        }
        return ring;
    }
}
