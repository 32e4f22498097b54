package dev.isthmus.ucx;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/** Streams, messages that probes find, and payloads for {@link UcpSafetyRun}. */
final class UcpSafetyPayloads {

    private static final int MOST = 8; // of each kind
    private static final List<UcpOperationOption> OPTIONS = List.of(UcpOperationOption.values());

    private final MemorySegment buffer;
    private final List<Long> requests;
    private final List<UcpStreamData> streamed = new CopyOnWriteArrayList<>();
    private final List<UcpTagMessage> taken = new CopyOnWriteArrayList<>();
    private final List<UcpReadyStreams> ready = new CopyOnWriteArrayList<>();
    private final List<UcpPayload> payloads = new CopyOnWriteArrayList<>();

    UcpSafetyPayloads(MemorySegment buffer, List<Long> requests) {
        this.buffer = buffer;
        this.requests = requests;
    }

    /** Makes what the rest uses; the oldest goes, whatever state it is in. */
    void make(UcpWorker worker, Random random, Runnable anything) {
        switch (random.nextInt(6)) {
            case 0 -> keep(streamed, UcpStreamData.of(worker));
            case 1 -> keep(taken, UcpTagMessage.of(worker));
            case 2 -> keep(ready, UcpReadyStreams.of(worker, random.nextInt(4)));
            case 3 -> keep(payloads, UcpIov.allocate(worker, random.nextInt(6)));
            case 4 -> keep(payloads, UcpBuffer.of(worker, buffer.asSlice(random.nextInt(10), size(random))));
            default -> keep(payloads, packed(worker, random, anything));
        }
    }

    private static UcpPayload packed(UcpWorker worker, Random random, Runnable anything) {
        if (random.nextBoolean()) {
            return UcpPackedData.packing(worker, size(random), (offset, target) -> {
                target.fill((byte) offset);
                misbehave(random, anything);
            });
        }
        return UcpPackedData.unpacking(worker, size(random), (offset, source) -> misbehave(random, anything));
    }

    private static void misbehave(Random random, Runnable anything) {
        switch (random.nextInt(6)) {
            case 0 -> anything.run();
            case 1 -> throw new IllegalStateException("of the packer");
            default -> {}
        }
    }

    private static <T> void keep(List<T> of, T object) {
        if (of.size() >= MOST) {
            of.remove(0);
        }
        of.add(object);
    }

    private static long size(Random random) {
        return random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(100);
    }

    /** Changes a payload, or begins an operation with it. */
    void use(UcpEndpoint endpoint, Random random) {
        UcpPayload payload = UcpSafetyRun.any(payloads, random);
        int tag = random.nextInt(4);
        switch (random.nextInt(9)) {
            case 0 -> requests.add(endpoint.tagSend(payload, tag));
            case 1 -> requests.add(endpoint.tagSendSync(payload, tag));
            case 2 -> requests.add(endpoint.amSend(tag, MemorySegment.NULL, payload, random.nextInt(8)));
            case 3 -> requests.add(endpoint.stream().send(payload));
            case 4 -> requests.add(endpoint.stream().receive(payload));
            case 5 -> requests.add(endpoint.stream().receiveAll(payload));
            case 6 -> requests.add(endpoint.worker().tagReceive(payload, tag, random.nextInt(4)));
            default -> change(payload, random);
        }
    }

    private void change(UcpPayload payload, Random random) {
        if (random.nextInt(4) == 0) {
            payload.options(OPTIONS.get(random.nextInt(OPTIONS.size())), OPTIONS.get(random.nextInt(OPTIONS.size())));
        } else if (payload instanceof UcpIov iov) {
            switch (random.nextInt(8)) {
                case 0 -> iov.clear();
                case 1 -> iov.set(random.nextInt(4) - 1, buffer, random.nextInt(100), size(random));
                default -> iov.add(buffer, random.nextInt(100), size(random));
            }
        } else if (payload instanceof UcpBuffer part) {
            part.range(random.nextInt(100), size(random));
        } else {
            payload.packedByteSize();
        }
    }

    /** Sends to a stream or receives from it. */
    void stream(UcpEndpoint endpoint, Random random) {
        UcpStream stream = endpoint.stream();
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> requests.add(stream.send(buffer, random.nextInt(10), size(random)));
            case 3 -> requests.add(stream.receive(buffer, random.nextInt(10), size(random)));
            case 4 -> requests.add(stream.receiveAll(buffer, 0, random.nextInt(200)));
            case 5 -> stream.receiveAsync(buffer).cancel(random.nextBoolean());
            case 6, 7 -> stream.receiveData(UcpSafetyRun.any(streamed, random));
            default -> read(UcpSafetyRun.any(streamed, random), endpoint, random);
        }
    }

    private void read(UcpStreamData data, UcpEndpoint endpoint, Random random) {
        switch (random.nextInt(5)) {
            case 0 -> data.getLong(random.nextInt(100));
            case 1 -> data.copyTo(buffer, random.nextInt(100), 0, random.nextInt(100));
            case 2 -> {
                MemorySegment segment = data.segment();
                requests.add(endpoint.tagSend(segment, 0, segment.byteSize(), 1));
                requests.add(endpoint.stream().send(segment, 0, segment.byteSize()));
            }
            default -> data.release();
        }
    }

    /** Asks which streams there is something on, and receives from them. */
    void poll(Random random) {
        UcpReadyStreams streams = UcpSafetyRun.any(ready, random);
        streams.poll();
        streams.stream(random.nextInt(2)).receiveData(UcpSafetyRun.any(streamed, random));
    }

    /** Probes for messages, takes them, receives or drops them. */
    void probe(UcpWorker worker, Random random) {
        UcpTagMessage message = UcpSafetyRun.any(taken, random);
        int tag = random.nextInt(4);
        switch (random.nextInt(7)) {
            case 0 -> worker.tagProbe(tag, random.nextInt(4), message);
            case 1, 2, 3 -> worker.tagTake(tag, random.nextInt(4), message);
            case 4 -> requests.add(message.receive(buffer, random.nextInt(10), size(random)));
            case 5 -> requests.add(message.receive(UcpSafetyRun.any(payloads, random)));
            default -> message.close();
        }
    }
}
