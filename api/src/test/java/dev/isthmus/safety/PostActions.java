// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;
import static dev.isthmus.safety.Expectation.Use.RECEIVES;
import static dev.isthmus.safety.Expectation.Use.SENDS;

import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.MemoryWindow;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Requests, which belong to one thread at a time and are shared by all, and their posts. Inline data comes from memory
 * that only this worker frees. C copies it, and as in C nobody may free memory that another thread is reading.
 */
final class PostActions {

    private PostActions() {}

    static List<Action> all() {
        return List.of(
                action(
                        "prepare a send",
                        6,
                        w -> made(w, SendRequest.class, SendRequest::prepare, SendRequest::prepare),
                        Reason.ARGUMENT),
                action(
                        "prepare a receive",
                        6,
                        w -> made(w, ReceiveRequest.class, ReceiveRequest::prepare, ReceiveRequest::prepare),
                        Reason.ARGUMENT),
                action("change a send", 20, PostActions::change, Reason.ARGUMENT, Reason.KIND, Reason.RANGE),
                action(
                        "buffer of a send",
                        6,
                        w -> {
                            Thing request = w.takeAny(SendRequest.class);
                            Thing region = w.mine(MemoryRegion.class);
                            send(request).sge(w.small(5), (MemoryRegion) region.object, w.length(), w.length());
                            request.names(region);
                        },
                        Reason.ARGUMENT,
                        Reason.RANGE),
                action(
                        "range of a send",
                        10,
                        w -> w.use(SendRequest.class).range(w.length(), w.length()),
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.RANGE),
                action(
                        "length of a send",
                        10,
                        w -> w.use(SendRequest.class).length(w.length()),
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.RANGE),
                action(
                        "buffer of a receive",
                        4,
                        w -> {
                            Thing request = w.takeAny(ReceiveRequest.class);
                            Thing region = w.mine(MemoryRegion.class);
                            receive(request).sge(w.small(5), (MemoryRegion) region.object, w.length(), w.length());
                            request.names(region);
                        },
                        Reason.ARGUMENT,
                        Reason.RANGE),
                action(
                        "range of a receive",
                        4,
                        w -> w.use(ReceiveRequest.class).range(w.length(), w.length()),
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.RANGE),
                action(
                        "chain sends",
                        3,
                        w -> {
                            Thing request = w.takeAny(SendRequest.class);
                            send(request).next(w.chance(2) ? null : send(chained(w, request, SendRequest.class)));
                        },
                        Reason.ARGUMENT),
                action(
                        "chain receives",
                        2,
                        w -> {
                            Thing request = w.takeAny(ReceiveRequest.class);
                            receive(request)
                                    .next(w.chance(2) ? null : receive(chained(w, request, ReceiveRequest.class)));
                        },
                        Reason.ARGUMENT),
                action(
                        "post a send",
                        40,
                        w -> posted(w, w.use(QueuePair.class, SENDS).tryPost(send(w))),
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.STATE),
                action(
                        "post sends",
                        8,
                        w -> w.ignore(w.use(QueuePair.class, SENDS).tryPostChain(send(w))),
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.STATE),
                action(
                        "post a receive",
                        30,
                        w -> posted(w, w.use(QueuePair.class, RECEIVES).tryPost(receive(w))),
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.STATE),
                action(
                        "post receives",
                        6,
                        w -> w.ignore(w.use(QueuePair.class, RECEIVES).tryPostChain(receive(w))),
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.STATE),
                action(
                        "post to a shared queue",
                        12,
                        w -> posted(w, w.use(SharedReceiveQueue.class).tryPost(receive(w))),
                        Reason.ARGUMENT),
                action(
                        "post many to a shared queue",
                        3,
                        w -> w.ignore(w.use(SharedReceiveQueue.class).tryPostChain(receive(w))),
                        Reason.ARGUMENT),
                action(
                        "a whole datagram",
                        8,
                        PostActions::datagram,
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.RANGE,
                        Reason.STATE),
                action(
                        "a whole write",
                        8,
                        PostActions::write,
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.RANGE,
                        Reason.STATE));
    }

    private static <T> void made(
            Worker w, Class<T> type, IntFunction<T> ofBuffers, Function<MemoryRegion, T> ofRegion) {
        if (w.chance(3)) {
            w.made(type, ofBuffers.apply(w.small(5)));
        } else {
            Thing region = w.mine(MemoryRegion.class);
            w.made(type, ofRegion.apply((MemoryRegion) region.object)).names(region);
        }
    }

    private static SendRequest send(Thing request) {
        return (SendRequest) request.object;
    }

    private static ReceiveRequest receive(Thing request) {
        return (ReceiveRequest) request.object;
    }

    private static Thing chained(Worker w, Thing request, Class<?> type) {
        Thing next = w.pick(type);
        request.names(next);
        return next;
    }

    /** What C has been given must have existed. */
    private static void posted(Worker w, boolean taken) {
        w.expected.posted(taken);
    }

    private static SendRequest send(Worker w) {
        return orNull(w, w.use(SendRequest.class));
    }

    private static ReceiveRequest receive(Worker w) {
        return orNull(w, w.use(ReceiveRequest.class));
    }

    private static <T> T orNull(Worker w, T object) {
        if (w.chance(200)) {
            w.expected.may(Reason.NULL);
            return null;
        }
        return object;
    }

    private static MemoryRegion region(Worker w) {
        return w.own(MemoryRegion.class);
    }

    private static void change(Worker w) {
        Thing thing = w.takeAny(SendRequest.class);
        SendRequest request = send(thing);
        MemoryRegion far = w.peek(MemoryRegion.class);
        switch (w.random.nextInt(18)) {
            case 0, 1 -> request.opcode(w.one(SendOpcode.values()));
            case 2 -> request.signaled(w.chance(2));
            case 3 -> request.inline(w.chance(3));
            case 4 -> request.fence(w.chance(2));
            case 5 -> request.solicited(w.chance(2));
            case 6 -> request.ipChecksum(w.chance(2));
            case 7 -> request.immediate(w.number());
            case 8 -> request.invalidate(w.chance(2) ? far.rkey() : w.number());
            case 9 -> request.remote(w.chance(4) ? w.length() : far.address(), w.chance(4) ? w.number() : far.rkey());
            case 10 -> request.remote(remote(far), w.length());
            case 11 -> request.compareAndSwap(far.address() + w.small(9), far.rkey(), w.length(), w.length());
            case 12 -> request.fetchAndAdd(far.address() + w.small(9), far.rkey(), w.length());
            case 13, 14 -> {
                Thing destination = w.pick(AddressHandle.class);
                request.to(
                        (AddressHandle) destination.object,
                        w.peek(QueuePair.class).qpNum(),
                        w.chance(2) ? 7 : w.number());
                thing.names(destination);
            }
            case 15 -> request.sharedReceiveQueue(w.number());
            case 16 -> request.segments(MemorySegment.ofArray(new byte[w.random.nextInt(100)]), w.number());
            default -> request.bind(w.use(MemoryWindow.class), w.number(), MemoryActions.binding(w));
        }
    }

    /** The region as a peer would know it, which does not learn of its end. */
    static RemoteMemory remote(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.rkey(), region.length());
    }

    private static void datagram(Worker w) {
        w.ignore(w.use(QueuePair.class, SENDS)
                .tryPost(SendRequest.prepare(region(w))
                        .range(0, w.random.nextInt(1100))
                        .signaled(w.chance(2))
                        .to(w.use(AddressHandle.class), w.peek(QueuePair.class).qpNum(), 7)));
    }

    private static void write(Worker w) {
        MemoryRegion far = w.peek(MemoryRegion.class);
        w.ignore(w.use(QueuePair.class, SENDS)
                .tryPost(SendRequest.prepare(region(w))
                        .range(0, w.random.nextInt(9000))
                        .signaled(w.chance(2))
                        .opcode(w.one(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM, SendOpcode.RDMA_READ))
                        .remote(far.address(), far.rkey())));
    }
}
