// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpActiveMessageHandler;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpKeptMessage;
import dev.isthmus.ucx.UcpMessageBytes;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcsStatus;
import dev.isthmus.ucx.UcxVersion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.List;

/** Tagged and active messages, with handlers that do anything, and the messages that these keep. */
final class UcxMessages {

    private static final int IDS = 3;
    private static final List<UcsStatus> STATUSES = List.of(UcsStatus.values());

    /** Why a send or a receive may be refused. */
    static final Reason[] TRANSFER = transferReasons();

    private static final Reason[] IN_HANDLER = {
        Reason.OVER,
        Reason.BUSY,
        Reason.RANGE,
        Reason.ARGUMENT,
        Reason.KIND,
        Reason.FAILED,
        Reason.DEVICE,
        Reason.IN_CALLBACK,
        Reason.CLOSED,
        Reason.CALLBACK
    };

    /** A message that was kept, and who holds it. */
    private record Kept(UcpKeptMessage message, Thing by) {}

    private record Stale(UcpActiveMessage message, UcpMessageBytes header) {}

    private final UcxBuffers buffers;
    private final Action meanwhile;
    private volatile Stale stale;

    UcxMessages(UcxBuffers buffers, Action meanwhile) {
        this.buffers = buffers;
        this.meanwhile = meanwhile;
    }

    private static Reason[] transferReasons() {
        var all = EnumSet.of(
                Reason.ARGUMENT,
                Reason.RANGE,
                Reason.KIND,
                Reason.FAILED,
                Reason.DEVICE,
                Reason.CALLBACK,
                Reason.IN_CALLBACK);
        if (UcxVersion.loaded().minor() < 15) {
            all.add(Reason.STATE); // a send might overtake others, while the connection is being made
        }
        return all.toArray(Reason[]::new);
    }

    List<Action> all() {
        return List.of(
                action("send", 3, this::send, TRANSFER),
                action("receive", 2, this::receive, TRANSFER),
                action("handler", 1, this::handle, Reason.ARGUMENT, Reason.KIND, Reason.IN_CALLBACK),
                action("active message", 3, this::sendActive, TRANSFER),
                action(
                        "kept message",
                        2,
                        this::use,
                        Reason.BUSY,
                        Reason.OVER,
                        Reason.RANGE,
                        Reason.ARGUMENT,
                        Reason.FAILED));
    }

    private static long size(Worker w) {
        return w.chance(4) ? w.random.nextLong(UcxBuffers.BYTES + 2) : w.random.nextInt(100);
    }

    private void send(Worker w) {
        Thing on = w.takeAny(UcpEndpoint.class);
        UcpEndpoint endpoint = (UcpEndpoint) on.object;
        if (w.chance(4)) {
            buffers.began(on, null, w.chance(3) ? endpoint.flush(w.random.nextLong()) : endpoint.flush());
            return;
        }
        Thing buffer = buffers.any(w);
        MemorySegment memory = UcxBuffers.segment(buffer);
        long tag = w.random.nextInt(4);
        long request =
                w.chance(3) ? endpoint.tagSendSync(memory, 0, size(w), tag) : endpoint.tagSend(memory, 0, size(w), tag);
        buffers.began(on, buffer, request);
    }

    private void receive(Worker w) {
        Thing on = w.takeAny(UcpWorker.class);
        UcpWorker worker = (UcpWorker) on.object;
        Thing buffer = buffers.any(w);
        long request =
                worker.tagReceive(UcxBuffers.segment(buffer), 0, size(w), w.random.nextInt(4), w.random.nextInt(4));
        buffers.began(on, buffer, request);
    }

    /** Sets or removes a handler; sometimes performs an action given to it. */
    private void handle(Worker w) {
        int id = w.random.nextInt(IDS + 1) - 1;
        Thing on = w.takeAny(UcpWorker.class);
        UcpWorker worker = (UcpWorker) on.object;
        UcpActiveMessageHandler handler = message -> {
            Worker now = Worker.current();
            for (int i = now.random.nextInt(3); i >= 0; i--) {
                now.attempt(action("amid a handler", 1, v -> act(v, on, message), IN_HANDLER));
            }
            if (now.chance(12)) {
                throw new IllegalStateException("of the handler");
            }
        };
        switch (w.random.nextInt(5)) {
            case 0 -> worker.activeMessages().removeHandler(id);
            case 1, 2 -> worker.activeMessages().setPersistentHandler(id, handler);
            default -> worker.activeMessages().setHandler(id, handler);
        }
    }

    private void act(Worker w, Thing on, UcpActiveMessage message) {
        switch (w.random.nextInt(12)) {
            case 0, 1, 2 -> w.made(Kept.class, new Kept(message.keep(), on));
            case 3 -> buffers.began(on, null, message.receive(buffers.lasting, w.random.nextInt(10)));
            case 4 -> w.ignore(message.receive(buffers.lasting, w.random.nextInt(10), w.random.nextLong()));
            case 5 -> {
                UcpPayload payload = w.use(UcpPayload.class);
                buffers.began(on, null, message.reply(w.random.nextInt(IDS), MemorySegment.NULL, payload, flags(w)));
            }
            case 6 -> {
                long bytes = w.random.nextInt(60_000);
                MemorySegment data = buffers.lasting.asSlice(0, bytes);
                buffers.began(on, null, message.reply(w.random.nextInt(IDS), data.asSlice(0, 0), data, flags(w)));
            }
            case 7 -> message.refuse(STATUSES.get(w.random.nextInt(STATUSES.size())));
            case 8, 9 -> w.attempt(meanwhile);
            case 10 -> stale = new Stale(message, message.header());
            default -> message.data().getLong(w.random.nextInt(100));
        }
    }

    private static int flags(Worker w) {
        return w.chance(20) ? w.random.nextInt() : w.random.nextInt(8);
    }

    private void sendActive(Worker w) {
        Thing on = w.takeAny(UcpEndpoint.class);
        UcpEndpoint endpoint = (UcpEndpoint) on.object;
        long header = w.chance(20) ? w.random.nextInt(100_000) : w.random.nextInt(50);
        Thing buffer = buffers.any(w);
        MemorySegment memory = UcxBuffers.segment(buffer);
        long request = endpoint.amSend(w.random.nextInt(IDS + 2), memory, 0, header, memory, 0, size(w), flags(w));
        buffers.began(on, buffer, request);
    }

    /** Uses kept messages, and messages that have ended. */
    private void use(Worker w) {
        Stale over = stale;
        if (w.chance(10) && over != null) {
            w.expected.must(Reason.OVER);
            w.expected.may(Reason.WRONG_THREAD, Reason.CLOSED);
            over.header().getByte(0);
            over.message().receive(buffers.lasting);
            return;
        }
        Kept kept = w.peek(Kept.class);
        UcpKeptMessage message = kept.message;
        w.ending(kept.by);
        switch (w.random.nextInt(6)) {
            case 0 -> {
                Thing buffer = buffers.any(w);
                buffers.began(kept.by, buffer, message.receive(UcxBuffers.segment(buffer), w.random.nextInt(10)));
            }
            case 1 -> w.ignore(message.receive(buffers.lasting, w.random.nextInt(10), w.random.nextLong()));
            case 2 -> message.segment().toArray(ValueLayout.JAVA_BYTE);
            case 3 -> message.data().getByte(w.random.nextInt(100));
            default -> message.release();
        }
    }
}
