// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static dev.isthmus.spark.transport.BadMessageException.unless;

import dev.isthmus.ucx.UcpPackedKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What peers send to each other: one active message each. A header comes first: a mark, the version, the kind, the
 * sender's id, and the number of the connection. All numbers are big-endian. {@link #read} trusts nothing: it accepts
 * only what {@link #write} could have written, and only if it is valid by itself. Whoever handles a message refuses it
 * if it comes at the wrong time.
 */
sealed interface PeerMessage {

    /** The longest message in bytes, with its {@link MessageSeal}. It is short enough for UCX to send it eagerly, never by rendezvous. */
    int MAX_BYTES = 64 << 10;

    /** Bytes of the header. */
    int HEADER_BYTES = 24;

    /** The most blocks of one request. */
    int MAX_BLOCKS = 3000;

    /** How many bytes of data fit into one {@link Data} with this many blocks. */
    static int roomForData(int blocks) {
        return MAX_BYTES - MessageSeal.BYTES - HEADER_BYTES - 12 - 8 * blocks;
    }

    /** The longest key of a memory, in bytes. */
    int MAX_KEY_BYTES = 8 << 10;

    /** The longest text of a failure, in bytes. */
    int MAX_TEXT_BYTES = 1000;

    /** The longest block, in bytes. */
    long MAX_BLOCK_BYTES = 1L << 46;

    int MARK = 0x49735368; // "IsSh"
    byte VERSION = 5;
    byte DATA = 4;

    /**
     * Who sends a message, and for which connection.
     *
     * @param from the sender's id
     * @param connection the number that the receiver has given the connection; 0 if the sender does not know it yet
     */
    record Header(long from, long connection) {}

    /**
     * The first message of the connecting side: the length of a slice, the number that the sender has given the
     * connection, and where answers go. The number is higher than those of its earlier connections.
     */
    record Hello(int sliceBytes, long number, String address) implements PeerMessage {}

    /** The answer to {@link Hello}, with the number that its sender has given the connection. */
    record Welcome(int sliceBytes, long number) implements PeerMessage {}

    /** Asks for blocks of at most so many bytes each. Answers name blocks by their index in the list. */
    record Fetch(long call, long most, List<BlockKey> blocks) implements PeerMessage {}

    /** Short, complete blocks: indices and bytes. */
    record Data(long call, List<Piece> pieces) implements PeerMessage {}

    /** A block of {@link Data}; its bytes lie between the buffer's position and limit. */
    record Piece(int index, ByteBuffer bytes) {}

    /**
     * A part of a long block is ready in the sender's memory, and stays there until the ticket comes back, or until the
     * sender gives up the connection, of which the receiver may not know. The number of the slice's use tells it: see
     * {@link SliceUses}.
     */
    record Slice(long call, int index, long blockBytes, int part, long ticket, long place, long use, UcpPackedKey key)
            implements PeerMessage {}

    /** A slice is no longer needed. */
    record Release(long ticket) implements PeerMessage {}

    /** A block will not come, either for good or because the receiver must fetch it by other means. */
    record Failed(long call, int index, boolean otherwise, String why) implements PeerMessage {}

    /** The rest of a request is no longer wanted. */
    record Cancel(long call) implements PeerMessage {}

    /** Writes the header and the message; returns the buffer, ready to be read. */
    static ByteBuffer write(PeerMessage message, Header header, ByteBuffer to) {
        write(header, kind(message), to);
        switch (message) {
            case Hello hello ->
                to.putInt(hello.sliceBytes())
                        .putLong(hello.number())
                        .put(hello.address().getBytes(StandardCharsets.UTF_8));
            case Welcome welcome -> to.putInt(welcome.sliceBytes()).putLong(welcome.number());
            case Fetch fetch -> writeBlocks(fetch, to);
            case Data data -> {
                beginData(data.call(), header, to);
                data.pieces()
                        .forEach(
                                piece -> beginPiece(piece.index(), piece.bytes().remaining(), to)
                                        .put(piece.bytes().duplicate()));
                return endData(data.pieces().size(), to);
            }
            case Slice slice ->
                to.putLong(slice.call())
                        .putInt(slice.index())
                        .putLong(slice.blockBytes())
                        .putInt(slice.part())
                        .putLong(slice.ticket())
                        .putLong(slice.place())
                        .putLong(slice.use())
                        .put(slice.key().toByteArray());
            case Release release -> to.putLong(release.ticket());
            case Failed failed ->
                to.putLong(failed.call())
                        .putInt(failed.index())
                        .put((byte) (failed.otherwise() ? 1 : 0))
                        .put(text(failed.why()));
            case Cancel cancel -> to.putLong(cancel.call());
        }
        return to.flip();
    }

    private static void write(Header header, byte kind, ByteBuffer to) {
        to.clear().putInt(MARK).put(VERSION).put(kind).putShort((short) 0);
        to.putLong(header.from()).putLong(header.connection());
    }

    /**
     * Begins a {@link Data} that is written piece by piece, so that files are read directly into the memory that
     * is sent.
     */
    static void beginData(long call, Header header, ByteBuffer to) {
        write(header, DATA, to);
        to.putLong(call).putInt(0);
    }

    /** Begins a piece; its bytes follow. */
    static ByteBuffer beginPiece(int index, int length, ByteBuffer to) {
        return to.putInt(index).putInt(length);
    }

    /** Ends a {@link Data} of so many pieces. */
    static ByteBuffer endData(int pieces, ByteBuffer to) {
        return to.putInt(HEADER_BYTES + Long.BYTES, pieces).flip();
    }

    private static byte kind(PeerMessage message) {
        return switch (message) {
            case Hello _ -> 1;
            case Welcome _ -> 2;
            case Fetch _ -> 3;
            case Data _ -> DATA;
            case Slice _ -> 5;
            case Release _ -> 6;
            case Failed _ -> 7;
            case Cancel _ -> 8;
        };
    }

    private static void writeBlocks(Fetch fetch, ByteBuffer to) {
        to.putLong(fetch.call()).putLong(fetch.most()).putInt(fetch.blocks().size());
        for (BlockKey block : fetch.blocks()) {
            to.putInt(block.shuffle())
                    .putLong(block.map())
                    .putInt(block.first())
                    .putInt(block.end());
        }
    }

    private static byte[] text(String why) {
        byte[] bytes = why.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
    }

    /** Reads and checks the header of a message; its sender may be another one than it says. */
    static Header header(ByteBuffer message) {
        unless(message.remaining() >= HEADER_BYTES, message.remaining() + " bytes are not a message");
        unless(message.remaining() <= MAX_BYTES, message.remaining() + " bytes are too many for a message");
        unless(message.getInt(message.position()) == MARK, "a message without its mark");
        byte version = message.get(message.position() + 4);
        unless(version == VERSION, "a message of version " + version + ", while this is version " + VERSION);
        return new Header(message.getLong(message.position() + 8), message.getLong(message.position() + 16));
    }

    /** Reads a message. The pieces of {@link Data} are views of the argument. */
    static PeerMessage read(ByteBuffer bytes) {
        var _ = header(bytes);
        byte kind = bytes.get(bytes.position() + 5);
        ByteBuffer body = bytes.slice(bytes.position() + HEADER_BYTES, bytes.remaining() - HEADER_BYTES);
        PeerMessage message = switch (kind) {
            case 1 ->
                new Hello(sliceBytes(body), number(body), new String(rest(body, 1, MAX_BYTES), StandardCharsets.UTF_8));
            case 2 -> new Welcome(sliceBytes(body), number(body));
            case 3 -> readBlocks(body);
            case DATA -> readData(body);
            case 5 -> readSlice(body);
            case 6 -> new Release(takeLong(body));
            case 7 -> readFailed(body);
            case 8 -> new Cancel(takeLong(body));
            default -> throw new BadMessageException("a message of unknown kind " + kind);
        };
        unless(!body.hasRemaining(), body.remaining() + " bytes too many after a message of kind " + kind);
        return message;
    }

    private static int sliceBytes(ByteBuffer body) {
        int bytes = takeInt(body);
        unless(bytes > 0, "slices of " + bytes + " bytes");
        return bytes;
    }

    private static long number(ByteBuffer body) {
        long number = takeLong(body);
        unless(number > 0, "a connection with the number " + number);
        return number;
    }

    private static Fetch readBlocks(ByteBuffer body) {
        long call = takeLong(body);
        long most = takeLong(body);
        int count = takeInt(body);
        unless(most >= 0, "a request for blocks of " + most + " bytes at most");
        unless(count > 0 && count <= MAX_BLOCKS, "a request for " + count + " blocks");
        unless(body.remaining() == count * 20, "a request whose blocks are " + body.remaining() + " bytes");
        var blocks = new ArrayList<BlockKey>(count);
        for (int i = 0; i < count; i++) {
            try {
                blocks.add(new BlockKey(body.getInt(), body.getLong(), body.getInt(), body.getInt()));
            } catch (IllegalArgumentException e) {
                throw new BadMessageException(e.getMessage());
            }
        }
        return new Fetch(call, most, blocks);
    }

    private static Data readData(ByteBuffer body) {
        long call = takeLong(body);
        int count = takeInt(body);
        unless(count > 0 && count <= MAX_BLOCKS, "an answer of " + count + " blocks");
        var pieces = new ArrayList<Piece>();
        for (int i = 0; i < count; i++) {
            int index = index(body);
            int length = takeInt(body);
            unless(length >= 0 && length <= body.remaining(), "a block of " + length + " bytes in a shorter message");
            pieces.add(new Piece(index, body.slice(body.position(), length)));
            body.position(body.position() + length);
        }
        return new Data(call, pieces);
    }

    private static Slice readSlice(ByteBuffer body) {
        long call = takeLong(body);
        int index = index(body);
        long blockBytes = takeLong(body);
        int part = takeInt(body);
        long ticket = takeLong(body);
        long place = takeLong(body);
        long use = takeLong(body);
        unless(
                blockBytes > 0 && blockBytes <= MAX_BLOCK_BYTES && part >= 0 && place >= 0,
                "part " + part + " of a block of " + blockBytes + " bytes");
        return new Slice(call, index, blockBytes, part, ticket, place, use, key(rest(body, 1, MAX_KEY_BYTES)));
    }

    private static UcpPackedKey key(byte[] bytes) {
        try {
            return UcpPackedKey.of(bytes);
        } catch (IllegalArgumentException e) {
            throw new BadMessageException(e.getMessage());
        }
    }

    private static Failed readFailed(ByteBuffer body) {
        long call = takeLong(body);
        int index = index(body);
        boolean otherwise = takeFlag(body);
        return new Failed(call, index, otherwise, new String(rest(body, 0, MAX_TEXT_BYTES), StandardCharsets.UTF_8));
    }

    private static int index(ByteBuffer body) {
        int index = takeInt(body);
        unless(index >= 0 && index < MAX_BLOCKS, "the block number " + index + " of a request");
        return index;
    }

    private static boolean takeFlag(ByteBuffer body) {
        unless(body.hasRemaining(), "a message that ends too early");
        byte flag = body.get();
        unless(flag == 0 || flag == 1, "a flag that is " + flag);
        return flag == 1;
    }

    private static int takeInt(ByteBuffer body) {
        unless(body.remaining() >= Integer.BYTES, "a message that ends too early");
        return body.getInt();
    }

    private static long takeLong(ByteBuffer body) {
        unless(body.remaining() >= Long.BYTES, "a message that ends too early");
        return body.getLong();
    }

    private static byte[] rest(ByteBuffer body, int least, int most) {
        unless(
                body.remaining() >= least && body.remaining() <= most,
                body.remaining() + " bytes where " + least + " to " + most + " are allowed");
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return bytes;
    }
}
