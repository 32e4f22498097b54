// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Whose turn it is to write to a stream. If several threads wait for room, each writes all of its bytes before the next
 * one writes. Guarded by the stream's lock.
 */
final class Writers {

    private final Stream stream;
    private final Waiting waiting;
    private long first; // the id of the thread that waits for room, and writes before all others; else 0

    /** What a thread writes when it is its turn. */
    interface Step {

        /**
         * Writes as much as can be written without waiting.
         *
         * @return whether that was all
         */
        boolean go(ByteBuffer from, long at) throws IOException;
    }

    Writers(Stream stream, Waiting waiting) {
        this.stream = stream;
        this.waiting = waiting;
    }

    /** Whether nobody waits. */
    boolean isFree() {
        return first == 0;
    }

    /** Whether the caller may write. */
    boolean isTurn() {
        return first == 0 || first == callerId();
    }

    /** Lets nobody write before the caller has written again. */
    void takeTurn() {
        first = callerId();
    }

    /** Waits for the turn, or for room; false if the time is up. */
    boolean await(boolean isTurn, long deadline) throws IOException, InterruptedException {
        if (!isTurn) {
            if (!waiting.await(Waiting.FIRST_WRITER, deadline)) {
                return false;
            }
        } else if (!stream.progress()) {
            if (deadline != Deadlines.NEVER) {
                takeTurn();
            }
            if (!waiting.await(Waiting.WRITABLE, deadline)) {
                return false;
            }
        }
        stream.checkWritable();
        return true;
    }

    /** Repeats a step until everything is written, in turn with others; returns false if the time is up. */
    boolean inTurn(Step step, ByteBuffer from, long at, long deadline) throws IOException, InterruptedException {
        try {
            boolean isTurn = isTurn();
            while (!isTurn || !step.go(from, at)) {
                if (!await(isTurn, deadline)) {
                    return false;
                }
                isTurn = isTurn();
            }
            return true;
        } catch (ProtocolException | RdmaException e) {
            stream.fail(e);
            stream.throwFailure();
            return false; // never
        }
    }

    /** The caller has written everything: others may write. */
    void finish() {
        if (first != 0 && first == callerId()) {
            first = 0;
            waiting.wakeAll();
        }
    }

    private static long callerId() {
        return Thread.currentThread().threadId();
    }
}
