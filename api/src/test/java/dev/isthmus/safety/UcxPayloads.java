// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.ucx.UcpBuffer;
import dev.isthmus.ucx.UcpCompletions;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpIov;
import dev.isthmus.ucx.UcpOperationOption;
import dev.isthmus.ucx.UcpPackedData;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpReadyStreams;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpStream;
import dev.isthmus.ucx.UcpStreamData;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcsStatus;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Streams, messages that probes find, and payloads. */
final class UcxPayloads {

    private static final List<UcpOperationOption> OPTIONS = List.of(UcpOperationOption.values());

    private final UcxBuffers buffers;
    private final Action meanwhile;
    private volatile long told = UcpRequests.NOT_BEGUN; // one of those that carry user data

    UcxPayloads(UcxBuffers buffers, Action meanwhile) {
        this.buffers = buffers;
        this.meanwhile = meanwhile;
    }

    List<Action> all() {
        return List.of(
                action("payload", 1, this::make, Reason.ARGUMENT, Reason.KIND, Reason.RANGE),
                action("operation with a payload", 2, this::use, UcxMessages.TRANSFER),
                action("change a payload", 1, this::change, Reason.BUSY, Reason.ARGUMENT, Reason.RANGE, Reason.DEVICE),
                action("completions", 2, this::completions, Reason.ARGUMENT),
                action("stream", 2, this::stream, UcxMessages.TRANSFER),
                action("stream data", 2, this::data, UcxMessages.TRANSFER),
                action("ready streams", 1, this::poll, UcxMessages.TRANSFER),
                action("probe", 1, this::probe, UcxMessages.TRANSFER));
    }

    private static long size(Worker w) {
        return w.chance(4) ? w.random.nextInt(200_000) : w.random.nextInt(100);
    }

    private void make(Worker w) {
        w.expected.may(Reason.CLOSED, Reason.WRONG_THREAD); // some do not ask before they are used
        Thing worker = w.pick(UcpWorker.class);
        UcpWorker on = (UcpWorker) worker.object;
        switch (w.random.nextInt(6)) {
            case 0 -> w.made(UcpStreamData.class, UcpStreamData.of(on), worker);
            case 1 -> w.made(UcpTagMessage.class, UcpTagMessage.of(on), worker);
            case 2 -> w.made(UcpReadyStreams.class, UcpReadyStreams.of(on, w.random.nextInt(4)), worker);
            case 3 -> w.made(UcpPayload.class, UcpIov.allocate(on, w.random.nextInt(6)), worker);
            case 4 ->
                w.made(
                        UcpPayload.class,
                        UcpBuffer.of(on, buffers.lasting.asSlice(w.random.nextInt(10), size(w))),
                        worker);
            default -> w.made(UcpPayload.class, packed(w, on), worker);
        }
    }

    private UcpPayload packed(Worker w, UcpWorker worker) {
        if (w.chance(2)) {
            return UcpPackedData.packing(worker, size(w), (offset, target) -> {
                target.fill((byte) offset);
                misbehave();
            });
        }
        return UcpPackedData.unpacking(worker, size(w), (offset, source) -> misbehave());
    }

    private void misbehave() {
        Worker w = Worker.current();
        switch (w.random.nextInt(6)) {
            case 0 -> w.attempt(meanwhile);
            case 1 -> throw new IllegalStateException("of the packer");
            default -> {}
        }
    }

    /** Begins an operation with a payload. */
    private void use(Worker w) {
        UcpPayload payload = w.use(UcpPayload.class);
        int tag = w.random.nextInt(4);
        if (w.chance(7)) {
            Thing worker = w.takeAny(UcpWorker.class);
            began(worker, ((UcpWorker) worker.object).tagReceive(payload, tag, w.random.nextInt(4)));
            return;
        }
        Thing on = w.takeAny(UcpEndpoint.class);
        UcpEndpoint endpoint = (UcpEndpoint) on.object;
        long request = switch (w.random.nextInt(6)) {
            case 0 -> endpoint.tagSend(payload, tag);
            case 1 -> endpoint.tagSendSync(payload, tag);
            case 2 -> endpoint.amSend(tag, MemorySegment.NULL, payload, w.random.nextInt(8));
            case 3 -> endpoint.stream().send(payload);
            case 4 -> endpoint.stream().receive(payload);
            default -> endpoint.stream().receiveAll(payload);
        };
        began(on, request);
    }

    private void began(Thing by, long request) {
        buffers.began(by, null, request);
        if (request < 0) {
            told = request;
        }
    }

    /**
     * Polls for operations that carry user data, or cancels the latest one, which may be another worker's or
     * have ended.
     */
    private void completions(Worker w) {
        UcpWorker worker = w.use(UcpWorker.class);
        if (w.chance(4)) {
            worker.requests().cancel(told);
            return;
        }
        var done = UcpCompletions.allocate(1 + w.random.nextInt(8));
        int count = worker.poll(done);
        for (int i = 0; i < count; i++) {
            if (done.status(i) == UcsStatus.IN_PROGRESS || done.length(i) < 0) {
                throw new AssertionError(done + ": " + done.status(i) + ", " + done.length(i));
            }
        }
    }

    private void change(Worker w) {
        UcpPayload payload = w.use(UcpPayload.class);
        if (w.chance(3)) {
            payload.userData(w.random.nextInt());
        } else if (w.chance(4)) {
            payload.options(w.any(OPTIONS), w.any(OPTIONS));
        } else if (payload instanceof UcpIov iov) {
            switch (w.random.nextInt(8)) {
                case 0 -> iov.clear();
                case 1 -> iov.set(w.random.nextInt(4) - 1, buffers.lasting, w.random.nextInt(100), size(w));
                default -> iov.add(buffers.lasting, w.random.nextInt(100), size(w));
            }
        } else if (payload instanceof UcpBuffer part) {
            part.range(w.random.nextInt(100), size(w));
        } else {
            payload.packedByteSize();
        }
    }

    /** Sends to a stream or receives from it. */
    private void stream(Worker w) {
        Thing on = w.takeAny(UcpEndpoint.class);
        UcpEndpoint endpoint = (UcpEndpoint) on.object;
        UcpStream stream = endpoint.stream();
        Thing buffer = buffers.any(w);
        MemorySegment memory = UcxBuffers.segment(buffer);
        long request = switch (w.random.nextInt(5)) {
            case 0, 1, 2 -> stream.send(memory, w.random.nextInt(10), size(w));
            case 3 -> stream.receive(memory, w.random.nextInt(10), size(w));
            default -> stream.receiveAll(memory, 0, w.random.nextInt(200));
        };
        buffers.began(on, buffer, request);
    }

    /** Uses the data that has arrived on a stream in place. */
    private void data(Worker w) {
        w.expected.may(Reason.BUSY, Reason.OVER);
        if (w.chance(4)) {
            w.expected.may(Reason.IN_USE, Reason.WRONG_THREAD, Reason.CLOSED);
            w.peek(UcpStreamData.class).release();
            return;
        }
        UcpStreamData data = w.use(UcpStreamData.class);
        switch (w.random.nextInt(6)) {
            case 0, 1, 2 -> w.use(UcpEndpoint.class).stream().receiveData(data);
            case 3 -> data.getLong(w.random.nextInt(100));
            case 4 -> data.copyTo(buffers.lasting, w.random.nextInt(100), 0, w.random.nextInt(100));
            default -> {
                MemorySegment segment = data.segment();
                Thing on = w.takeAny(UcpEndpoint.class);
                UcpEndpoint endpoint = (UcpEndpoint) on.object;
                buffers.began(on, null, endpoint.tagSend(segment, 0, segment.byteSize(), 1));
                buffers.began(on, null, endpoint.stream().send(segment, 0, segment.byteSize()));
            }
        }
    }

    /** Polls for streams that have data, and receives from them. */
    private void poll(Worker w) {
        w.expected.may(Reason.BUSY);
        UcpReadyStreams streams = w.use(UcpReadyStreams.class);
        streams.poll();
        streams.stream(w.random.nextInt(2)).receiveData(w.use(UcpStreamData.class));
    }

    /** Probes for messages, takes them, receives or drops them. */
    private void probe(Worker w) {
        w.expected.may(Reason.BUSY);
        if (w.chance(4)) {
            w.expected.may(Reason.WRONG_THREAD, Reason.CLOSED);
            w.peek(UcpTagMessage.class).close();
            return;
        }
        UcpTagMessage message = w.use(UcpTagMessage.class);
        int tag = w.random.nextInt(4);
        switch (w.random.nextInt(6)) {
            case 0 -> w.use(UcpWorker.class).tagProbe(tag, w.random.nextInt(4), message);
            case 1, 2, 3 -> w.use(UcpWorker.class).tagTake(tag, w.random.nextInt(4), message);
            case 4 -> message.receive(buffers.lasting, w.random.nextInt(10), size(w));
            default -> message.receive(w.use(UcpPayload.class));
        }
    }
}
