// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static dev.isthmus.spark.transport.BadMessageException.unless;

import dev.isthmus.verbs.RemoteMemory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What peers of a {@link VerbsTransport} send to each other: where are these blocks, there they are, and I have read
 * them. Before that, whoever has accepted the connection sends a challenge. A header comes first: a mark, the version, the kind, zero, and the number of the call. All numbers are
 * big-endian. {@link #read} accepts only what {@link #write} could have written.
 */
sealed interface VerbsMessage {

    /** The longest message in bytes, with its seal. */
    int MAX_BYTES = 16 << 10;

    /** The most blocks of one call. */
    int MAX_BLOCKS = 256;

    /** The longest reason, in bytes. */
    int MAX_WHY_BYTES = 40;

    int MARK = 0x49735676; // "IsVv"
    byte VERSION = 2;
    int BLOCK_BYTES = 20;

    /** The number that the caller has given the call. */
    long call();

    /** Asks where blocks of at most so many bytes each are. */
    record Locate(long call, long most, List<BlockKey> blocks) implements VerbsMessage {}

    /** Where the blocks are, in their order. They stay there until {@link Release}, or until the connection ends. */
    record Located(long call, List<Place> places) implements VerbsMessage {}

    /** The memory of a block; null if it must be fetched by other means, and then why. */
    record Place(RemoteMemory memory, String why) {
        static Place refused(String why) {
            byte[] bytes = why.getBytes(StandardCharsets.UTF_8);
            return new Place(
                    null, new String(bytes, 0, Math.min(bytes.length, MAX_WHY_BYTES / 2), StandardCharsets.UTF_8));
        }
    }

    /** The blocks of a call will not be read any more. */
    record Release(long call) implements VerbsMessage {}

    /** What all further messages of the connection are sealed with, in 16 random bytes; of no call. */
    record Challenge(long high, long low) implements VerbsMessage {
        @Override
        public long call() {
            return 0;
        }
    }

    /** Writes a message; returns the buffer, ready to be read. */
    static ByteBuffer write(VerbsMessage message, ByteBuffer to) {
        to.clear()
                .putInt(MARK)
                .put(VERSION)
                .put(kind(message))
                .putShort((short) 0)
                .putLong(message.call());
        switch (message) {
            case Locate locate -> {
                to.putLong(locate.most()).putInt(locate.blocks().size());
                for (BlockKey block : locate.blocks()) {
                    to.putInt(block.shuffle())
                            .putLong(block.map())
                            .putInt(block.first())
                            .putInt(block.end());
                }
            }
            case Located located -> {
                to.putInt(located.places().size());
                located.places().forEach(place -> write(place, to));
            }
            case Release _ -> {}
            case Challenge challenge -> to.putLong(challenge.high()).putLong(challenge.low());
        }
        return to.flip();
    }

    private static void write(Place place, ByteBuffer to) {
        if (place.memory() != null) {
            place.memory().write(to.put((byte) 1));
        } else {
            byte[] why = place.why().getBytes(StandardCharsets.UTF_8);
            int length = Math.min(why.length, MAX_WHY_BYTES);
            to.put((byte) 0).put((byte) length).put(why, 0, length);
        }
    }

    private static byte kind(VerbsMessage message) {
        return switch (message) {
            case Locate _ -> 1;
            case Located _ -> 2;
            case Release _ -> 3;
            case Challenge _ -> 4;
        };
    }

    /** Reads and checks a message. */
    static VerbsMessage read(ByteBuffer from) {
        need(from, 16);
        unless(from.getInt() == MARK, "a message without its mark");
        byte version = from.get();
        unless(version == VERSION, "a message of version " + version + ", while this is version " + VERSION);
        byte kind = from.get();
        unless(from.getShort() == 0, "a message that is not zero where it should be");
        long call = from.getLong();
        VerbsMessage message = switch (kind) {
            case 1 -> readLocate(call, from);
            case 2 -> readLocated(call, from);
            case 3 -> new Release(call);
            case 4 -> readChallenge(call, from);
            default -> throw new BadMessageException("a message of unknown kind " + kind);
        };
        unless(!from.hasRemaining(), from.remaining() + " bytes too many after a message of kind " + kind);
        return message;
    }

    private static Challenge readChallenge(long call, ByteBuffer from) {
        need(from, 2 * Long.BYTES);
        unless(call == 0, "a challenge of a call");
        return new Challenge(from.getLong(), from.getLong());
    }

    private static Locate readLocate(long call, ByteBuffer from) {
        need(from, 12);
        long most = from.getLong();
        int count = from.getInt();
        unless(most >= 0, "a call for blocks of " + most + " bytes at most");
        unless(count > 0 && count <= MAX_BLOCKS, "a call for " + count + " blocks");
        need(from, count * BLOCK_BYTES);
        var blocks = new ArrayList<BlockKey>(count);
        for (int i = 0; i < count; i++) {
            try {
                blocks.add(new BlockKey(from.getInt(), from.getLong(), from.getInt(), from.getInt()));
            } catch (IllegalArgumentException e) {
                throw new BadMessageException(e.getMessage());
            }
        }
        return new Locate(call, most, blocks);
    }

    private static Located readLocated(long call, ByteBuffer from) {
        need(from, 4);
        int count = from.getInt();
        unless(count > 0 && count <= MAX_BLOCKS, "an answer of " + count + " blocks");
        var places = new ArrayList<Place>(count);
        for (int i = 0; i < count; i++) {
            need(from, 2);
            byte flag = from.get();
            unless(flag == 0 || flag == 1, "a flag that is " + flag);
            places.add(flag == 1 ? readMemory(from) : readWhy(from));
        }
        return new Located(call, places);
    }

    private static Place readMemory(ByteBuffer from) {
        try {
            return new Place(RemoteMemory.read(from), "");
        } catch (IllegalArgumentException e) { // or it ends too early
            throw new BadMessageException(e.getMessage());
        }
    }

    private static Place readWhy(ByteBuffer from) {
        int length = from.get();
        unless(length >= 0 && length <= MAX_WHY_BYTES, "a reason of " + length + " bytes");
        need(from, length);
        byte[] why = new byte[length];
        from.get(why);
        return new Place(null, new String(why, StandardCharsets.UTF_8));
    }

    private static void need(ByteBuffer from, int bytes) {
        unless(from.remaining() >= bytes, "a message that ends too early");
    }
}
