// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import java.lang.foreign.MemorySegment;

/**
 * The queues of a direct queue pair. libmlx5 has made them, and frees them when it destroys the queue pair; it posts
 * nothing to them, and does not poll their completion queues.
 */
public final class DirectQueues {

    /**
     * What the queue pair was created with.
     *
     * @param qpNum its number
     * @param datagrams whether it is UD
     * @param atomics whether the device has atomics
     * @param signalAll whether each send completes
     * @param maxSends how many sends can be outstanding
     * @param maxReceives how many receives can be outstanding
     * @param maxReceiveBuffers how many buffers a receive can have
     * @param maxInline how long inline data can be
     */
    public record Traits(
            int qpNum,
            boolean datagrams,
            boolean atomics,
            boolean signalAll,
            int maxSends,
            int maxReceives,
            int maxReceiveBuffers,
            int maxInline) {}

    private final QueuePairLayout layout;
    private final Register register;
    private final Traits traits;
    private CompletionRing sendCompletions; // null until they are known
    private CompletionRing receiveCompletions;
    private Completer bySends; // in the completion queue of sends
    private Completer byReceives;
    private SendRing sends;
    private ReceiveRing receives;

    private DirectQueues(QueuePairLayout layout, Register register, Traits traits) {
        this.layout = layout;
        this.register = register;
        this.traits = traits;
    }

    /**
     * Takes the queues of a queue pair in RESET.
     *
     * @throws NotDirect if they are of a kind that is not known
     */
    public static DirectQueues take(Mlx5Library library, MemorySegment qp, Traits traits) throws NotDirect {
        QueuePairLayout layout = library.queuePair(qp);
        layout.check(traits.maxSends(), traits.maxReceives(), traits.maxReceiveBuffers());
        return new DirectQueues(layout, Register.forDirect(layout), traits);
    }

    /** Sets where they complete, and begins. */
    public void completeIn(CompletionRing ofSends, CompletionRing ofReceives) {
        sendCompletions = ofSends;
        receiveCompletions = ofReceives;
        begin();
    }

    /** Begins anew, as the queue pair is in RESET: nothing is posted, and no completion of before will be returned. */
    public void begin() {
        sends = new SendRing(layout, register, traits);
        receives = new ReceiveRing(layout, traits.maxReceives());
        bySends = completer(sendCompletions);
        byReceives = receiveCompletions == sendCompletions ? bySends : completer(receiveCompletions);
    }

    private Completer completer(CompletionRing ring) {
        var completer = new Completer(traits.qpNum(), sends, receives);
        ring.add(completer);
        return completer;
    }

    /** The queue pair is in RTS: sends can be posted. */
    public void openSends() {
        sends.open(traits.maxSends());
    }

    /** The send queue: another object after each RESET. */
    public SendRing sends() {
        return sends;
    }

    /** The receive queue: another object after each RESET. */
    public ReceiveRing receives() {
        return receives;
    }

    /** The library. */
    public Mlx5Library library() {
        return sendCompletions.library();
    }

    /** Gives the register back, because the queue pair is destroyed. */
    public void close() {
        if (bySends != null) {
            sendCompletions.remove(bySends);
            receiveCompletions.remove(byReceives);
        }
        register.release(true);
    }
}
