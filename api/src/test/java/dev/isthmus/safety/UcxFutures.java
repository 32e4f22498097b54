// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.GuardedArena;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpTagReceived;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Messages whose ends are futures, which anybody may cancel, complete or let time out. Each ends once, at the latest
 * when its worker is closed, and a received message is what was sent, unless the program completed the future itself.
 */
final class UcxFutures {

    private static final long TAG = 100; // nobody else's
    private static final long ALL = -1;
    private static final int LONGEST = 100_000;

    /** One end of a message. Its memory stays until the future is done. */
    private record End(String what, CompletableFuture<?> future, Thing on, Arena arena, MemorySegment memory) {}

    private final List<End> ends = new ArrayList<>(); // guarded by itself

    List<Action> all() {
        return List.of(
                action("send with a future", 3, this::send, UcxMessages.TRANSFER),
                action("receive with a future", 3, this::receive, UcxMessages.TRANSFER),
                action("future of another operation", 1, this::other, UcxMessages.TRANSFER),
                action("give up a future", 2, this::giveUp),
                action("look at a future", 4, this::look));
    }

    private void send(Worker w) {
        Thing on = w.takeAny(UcpEndpoint.class);
        UcpEndpoint endpoint = (UcpEndpoint) on.object;
        Arena arena = w.chance(2) ? Arena.ofShared() : GuardedArena.ofShared();
        MemorySegment memory = arena.allocate(w.chance(4) ? w.random.nextInt(8, LONGEST) : w.random.nextInt(8, 100));
        write(memory, w.random.nextLong());
        note("send", on, arena, memory, endpoint.tagSendAsync(memory, TAG));
    }

    private void receive(Worker w) {
        Thing on = w.takeAny(UcpWorker.class);
        UcpWorker worker = (UcpWorker) on.object;
        Arena arena = w.chance(2) ? Arena.ofShared() : GuardedArena.ofShared();
        MemorySegment memory = arena.allocate(LONGEST);
        note("receive", on, arena, memory, worker.tagReceiveAsync(memory, TAG, ALL));
    }

    private void other(Worker w) {
        Thing on = w.takeAny(UcpEndpoint.class);
        UcpEndpoint endpoint = (UcpEndpoint) on.object;
        Arena arena = w.chance(2) ? Arena.ofShared() : GuardedArena.ofShared();
        MemorySegment memory = arena.allocate(64);
        CompletableFuture<?> future = switch (w.random.nextInt(4)) {
            case 0 -> endpoint.stream().receiveAsync(memory);
            case 1 -> endpoint.stream().sendAsync(memory);
            case 2 -> endpoint.amSendAsync(w.random.nextInt(4), memory, memory, 0);
            default -> ((UcpWorker) on.whole().object).requests().whenDone(endpoint.flush());
        };
        note("other", on, arena, memory, future);
    }

    void note(String what, Thing on, Arena arena, MemorySegment memory, CompletableFuture<?> future) {
        synchronized (ends) {
            ends.add(new End(what, future, on, arena, memory));
        }
    }

    private End any(Worker w) {
        synchronized (ends) {
            return w.any(ends);
        }
    }

    private void giveUp(Worker w) {
        CompletableFuture<?> future = any(w).future;
        switch (w.random.nextInt(4)) {
            case 0 -> future.cancel(w.chance(2));
            case 1 -> future.orTimeout(w.random.nextInt(3), TimeUnit.MILLISECONDS);
            case 2 -> future.complete(null);
            default -> future.completeExceptionally(new ArithmeticException("given up"));
        }
    }

    /** Checks whether a future is done; then its memory is the program's, and must have the right content. */
    private void look(Worker w) {
        End end = any(w);
        if (!end.future.isDone()) {
            return;
        }
        synchronized (ends) {
            if (!ends.remove(end)) {
                return;
            }
        }
        check(end);
        if (end.on.whole().isOpen() || !(end.arena instanceof GuardedArena)) {
            end.arena
                    .close(); // a worker that was closed may have left its operations to the peers, which a guard knows
        }
    }

    private static void check(End end) {
        switch (end.future.state()) {
            case SUCCESS -> {
                if (end.future.resultNow() instanceof UcpTagReceived received) {
                    read(end.memory.asSlice(0, received.length()), received);
                }
            }
            case FAILED -> {
                Throwable failure = end.future.exceptionNow();
                if (!(failure instanceof ArithmeticException)
                        && !(failure instanceof java.util.concurrent.TimeoutException)
                        && Reason.of(failure) != Reason.DEVICE
                        && !(end.on.object instanceof EventLoop && UcxLoops.mayEnd(failure))
                        && !String.valueOf(failure.getMessage()).contains("was closed before the operation was done")) {
                    throw new AssertionError("a future failed with this", failure);
                }
            }
            default -> {}
        }
    }

    /** Writes bytes that show whether they are complete: a random number, and what follows from it. */
    static void write(MemorySegment memory, long seed) {
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, seed);
        for (long i = 8; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i * 31));
        }
    }

    private static void read(MemorySegment memory, UcpTagReceived received) {
        long seed = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        for (long i = 8; i < memory.byteSize(); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != (byte) (seed + i * 31)) {
                throw new AssertionError("byte " + i + " of " + received + " is not what was sent");
            }
        }
    }

    /** The futures that are not done although all workers are closed. */
    List<String> unended() {
        synchronized (ends) {
            return ends.stream()
                    .filter(one -> !one.on.whole().isOpen() && !one.future.isDone())
                    .map(one -> "a future never ended: of a " + one.what + " on " + one.on + ": " + one.future)
                    .toList();
        }
    }
}
