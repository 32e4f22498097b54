package dev.isthmus.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/** Active messages for {@link UcpSafetyRun}: handlers that do anything, and what they keep. */
final class UcpSafetyMessages {

    private static final int IDS = 3;
    private static final int MOST_KEPT = 20;
    private static final List<UcsStatus> STATUSES = List.of(UcsStatus.values());

    private record Stale(UcpActiveMessage message, UcpMessageBytes header) {}

    private final MemorySegment buffer;
    private final List<Long> requests;
    private final List<UcpKeptMessage> kept = new CopyOnWriteArrayList<>();
    private volatile Stale stale;

    UcpSafetyMessages(MemorySegment buffer, List<Long> requests) {
        this.buffer = buffer;
        this.requests = requests;
    }

    /** Sets or removes a handler; it now and then does what it is given besides. */
    void handle(UcpWorker worker, Random random, Runnable anything) {
        int id = random.nextInt(IDS + 1) - 1;
        UcpActiveMessageHandler handler = message -> {
            for (int i = random.nextInt(3); i >= 0; i--) {
                act(message, random, anything);
            }
        };
        switch (random.nextInt(5)) {
            case 0 -> worker.activeMessages().removeHandler(id);
            case 1, 2 -> worker.activeMessages().setPersistentHandler(id, handler);
            default -> worker.activeMessages().setHandler(id, handler);
        }
    }

    private void act(UcpActiveMessage message, Random random, Runnable anything) {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                if (kept.size() < MOST_KEPT) {
                    kept.add(message.keep());
                }
            }
            case 3, 4 -> requests.add(message.receive(buffer, random.nextInt(10)));
            case 5, 6 -> {
                long size = Math.min(random.nextInt(60_000), buffer.byteSize());
                requests.add(message.reply(
                        random.nextInt(IDS), buffer.asSlice(0, 8), buffer.asSlice(0, size), flags(random)));
            }
            case 7 -> message.refuse(STATUSES.get(random.nextInt(STATUSES.size())));
            case 8 -> throw new IllegalStateException("of the handler");
            case 9 -> anything.run();
            case 10 -> {
                stale = new Stale(message, message.header());
            }
            default -> message.data().getLong(random.nextInt(100));
        }
    }

    private static int flags(Random random) {
        return random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(8);
    }

    void send(UcpEndpoint endpoint, Random random) {
        long size = random.nextInt(4) == 0 ? random.nextInt((int) buffer.byteSize() + 2) : random.nextInt(100);
        long header = random.nextInt(20) == 0 ? random.nextInt(100_000) : random.nextInt(50);
        requests.add(endpoint.amSend(random.nextInt(IDS + 2), buffer, 0, header, buffer, 0, size, flags(random)));
    }

    /** Uses what was kept, and what is over. */
    void use(Random random) {
        if (kept.isEmpty()) {
            Stale over = stale;
            if (over != null) {
                over.header().getByte(0);
                over.message().receive(buffer);
            }
            return;
        }
        UcpKeptMessage message = kept.get(random.nextInt(kept.size()));
        if (!message.isHolding()) {
            kept.remove(message);
        }
        switch (random.nextInt(5)) {
            case 0 -> requests.add(message.receive(buffer, random.nextInt(10)));
            case 1 -> message.segment().toArray(ValueLayout.JAVA_BYTE);
            case 2 -> message.data().getByte(random.nextInt(100));
            default -> message.release();
        }
    }
}
