// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.verbs.SendOpcode;
import java.util.List;
import java.util.stream.Stream;

/**
 * A row of verbs.
 *
 * @param chain how many requests are posted, or completions polled, in one call
 * @param operations the operations of a block: enough that a tick of the kernel's clock hardly matters, and no more
 *     than the queues hold if they are drained afterwards
 */
public record VerbsRow(Way way, Operation operation, int bytes, int chain, int operations) {

    /** The loop that runs it. */
    public enum Way {
        /** A request, a receive if it needs one, and all their completions. */
        MESSAGE,
        /** Like MESSAGE, but each call has a chain of requests, of which the last is signaled. */
        CHAIN,
        /** The post of a send request alone; every 4th is signaled. */
        POST,
        /** The post of a receive alone. */
        RECEIVE,
        /** The post of a send request alone, none of them signaled. */
        POST_UNSIGNALED,
        /** The post of a send request alone, each signaled. */
        POST_SIGNALED,
        /** The post of a chain of send requests alone, of which the last is signaled. */
        POST_CHAIN,
        /** The same by a {@link dev.isthmus.verbs.SendBatch}. */
        BATCH,
        /** The post of a chain of receives alone. */
        RECEIVE_CHAIN,
        /** A poll that finds nothing. */
        EMPTY_POLL,
        /** A poll that finds as many completions as it asks for. */
        FULL_POLL
    }

    /** What is posted. */
    public enum Operation {
        SEND(SendOpcode.SEND),
        SEND_INLINE(SendOpcode.SEND),
        WRITE(SendOpcode.RDMA_WRITE),
        WRITE_INLINE(SendOpcode.RDMA_WRITE),
        READ(SendOpcode.RDMA_READ),
        FETCH_ADD(SendOpcode.ATOMIC_FETCH_AND_ADD),
        CMP_SWAP(SendOpcode.ATOMIC_CMP_AND_SWP);

        private final SendOpcode opcode;

        Operation(SendOpcode opcode) {
            this.opcode = opcode;
        }
    }

    /** All rows, in the order in which they are run and printed. */
    static final List<VerbsRow> ALL = List.of(
            new VerbsRow(Way.EMPTY_POLL, Operation.SEND, 64, 1, 50_000),
            new VerbsRow(Way.FULL_POLL, Operation.WRITE, 64, 1, 64),
            new VerbsRow(Way.FULL_POLL, Operation.WRITE, 64, 16, 32),
            new VerbsRow(Way.RECEIVE, Operation.SEND, 64, 1, 512),
            new VerbsRow(Way.POST, Operation.WRITE, 64, 1, 256),
            message(Operation.SEND, 8),
            message(Operation.SEND, 64),
            message(Operation.SEND, 4096),
            message(Operation.WRITE, 8),
            message(Operation.WRITE, 64),
            message(Operation.WRITE, 4096),
            message(Operation.READ, 8),
            message(Operation.READ, 64),
            message(Operation.READ, 4096),
            message(Operation.FETCH_ADD, 8),
            message(Operation.CMP_SWAP, 8),
            chain(Operation.SEND, 1),
            chain(Operation.SEND, 16),
            chain(Operation.WRITE, 1),
            chain(Operation.WRITE, 16));

    /** The rows on a card: calls alone, as the card works when the program waits for it. */
    static final List<VerbsRow> ON_CARD = List.of(
            new VerbsRow(Way.EMPTY_POLL, Operation.SEND, 64, 1, 50_000),
            new VerbsRow(Way.FULL_POLL, Operation.WRITE, 64, 1, 512),
            new VerbsRow(Way.FULL_POLL, Operation.WRITE, 64, 16, 32),
            new VerbsRow(Way.RECEIVE, Operation.SEND, 64, 1, 512),
            new VerbsRow(Way.RECEIVE_CHAIN, Operation.SEND, 64, 16, 32),
            post(Way.POST_UNSIGNALED, Operation.WRITE_INLINE, 8),
            post(Way.POST_SIGNALED, Operation.WRITE_INLINE, 8),
            post(Way.POST_UNSIGNALED, Operation.WRITE, 64),
            post(Way.POST_SIGNALED, Operation.WRITE, 64),
            post(Way.POST_UNSIGNALED, Operation.SEND_INLINE, 8),
            post(Way.POST_SIGNALED, Operation.SEND_INLINE, 8),
            post(Way.POST_UNSIGNALED, Operation.SEND, 64),
            post(Way.POST_SIGNALED, Operation.SEND, 64),
            new VerbsRow(Way.POST_CHAIN, Operation.WRITE_INLINE, 8, 16, 32),
            new VerbsRow(Way.POST_CHAIN, Operation.WRITE, 64, 16, 32),
            new VerbsRow(Way.POST_CHAIN, Operation.SEND, 64, 16, 32),
            new VerbsRow(Way.BATCH, Operation.WRITE, 64, 1, 512),
            new VerbsRow(Way.BATCH, Operation.WRITE_INLINE, 8, 16, 32),
            new VerbsRow(Way.BATCH, Operation.WRITE, 64, 16, 32),
            new VerbsRow(Way.BATCH, Operation.SEND, 64, 16, 32));

    /** The rows in which Java itself drives the card's queues, beside libmlx5 from C: some of {@link #ON_CARD}. */
    static final List<VerbsRow> DIRECT = List.of(
            new VerbsRow(Way.EMPTY_POLL, Operation.SEND, 64, 1, 50_000),
            new VerbsRow(Way.FULL_POLL, Operation.WRITE, 64, 1, 512),
            new VerbsRow(Way.FULL_POLL, Operation.WRITE, 64, 16, 32),
            new VerbsRow(Way.RECEIVE, Operation.SEND, 64, 1, 512),
            post(Way.POST_SIGNALED, Operation.WRITE_INLINE, 8),
            post(Way.POST_SIGNALED, Operation.WRITE, 64),
            post(Way.POST_SIGNALED, Operation.SEND, 64));

    private static VerbsRow post(Way way, Operation operation, int bytes) {
        return new VerbsRow(way, operation, bytes, 1, 512);
    }

    private static VerbsRow message(Operation operation, int bytes) {
        return new VerbsRow(Way.MESSAGE, operation, bytes, 1, bytes <= 64 ? 64 : 32);
    }

    private static VerbsRow chain(Operation operation, int chain) {
        return new VerbsRow(Way.CHAIN, operation, 64, chain, 64 / chain);
    }

    SendOpcode opcode() {
        return operation.opcode;
    }

    boolean isInline() {
        return operation == Operation.SEND_INLINE || operation == Operation.WRITE_INLINE;
    }

    /** By how much to divide an operation's figure: the messages of a chain. */
    int perOperation() {
        return switch (way) {
            case CHAIN, POST_CHAIN, BATCH, RECEIVE_CHAIN -> chain;
            default -> 1;
        };
    }

    /** Of each call before it is measured: as few as the loop can do. */
    int warmUpOperations() {
        return switch (way) {
            case POST_UNSIGNALED, POST_SIGNALED, POST_CHAIN, BATCH, RECEIVE_CHAIN -> 1;
            default -> VerbsLoops.SIGNAL_EVERY;
        };
    }

    String title() {
        return switch (way) {
            case MESSAGE -> Row.word(operation) + "-" + bytes;
            case CHAIN -> Row.word(operation) + "-" + bytes + "-chain-" + chain;
            case POST -> "post-" + Row.word(operation) + "-" + bytes;
            case POST_UNSIGNALED -> "post-" + Row.word(operation) + "-" + bytes + "-unsignaled";
            case POST_SIGNALED -> "post-" + Row.word(operation) + "-" + bytes + "-signaled";
            case POST_CHAIN -> "post-" + Row.word(operation) + "-" + bytes + "-chain-" + chain;
            case BATCH -> "batch-" + Row.word(operation) + "-" + bytes + "-" + chain;
            case RECEIVE_CHAIN -> "post-receive-chain-" + chain;
            case RECEIVE -> "post-receive";
            case EMPTY_POLL -> "poll-empty";
            case FULL_POLL -> "poll-" + chain;
        };
    }

    /** See {@code verbs.c}. */
    String spec() {
        return String.join(
                ":",
                Row.word(way),
                Row.word(operation),
                Integer.toString(bytes),
                Integer.toString(chain),
                Integer.toString(operations));
    }

    /** The row of a program's argument. */
    static VerbsRow of(String spec) {
        List<VerbsRow> all = Stream.concat(ALL.stream(), ON_CARD.stream()).toList();
        return Row.named(spec, all, VerbsRow::spec);
    }
}
