// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isthmus.CmException;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Listener;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;

/**
 * Takes files that a {@link FileSender} writes, piece by piece, into a window of this process's memory. A file appears
 * in its folder once all of it has arrived and its checksum is correct. Until then an older file of that name stays as
 * it was.
 */
public final class FileReceiver {

    /** Bytes of a piece. */
    static final int PIECE = 1 << 16;

    /** Pieces that the window holds: one is written to the file while the next one arrives. */
    static final int WINDOW = 2;

    /** The longest message either way. */
    static final int MESSAGE = 256;

    /** Receives that either side has posted. */
    static final int RECEIVES = WINDOW + 2;

    // The sender's messages: an offer (1), the file's length (8), its name; an end (1), the checksum. Between them come
    // pieces, each announced by its number. All are answered: ACCEPTED (1), to an offer with the window's address (8)
    // and key (4); or REFUSED (1), and why.
    static final byte OFFER = 1;
    static final byte END = 2;
    static final byte ACCEPTED = 3;
    static final byte REFUSED = 4;

    static final Duration DEADLINE = Duration.ofSeconds(60);

    private static final int ANSWERS_AT = RECEIVES * MESSAGE;

    private final Connection connection;
    private final FileBuffers buffers;
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private int answers;

    /** What belongs to a connection: the window, all that the sender can reach, and memory for messages and answers. */
    private record FileBuffers(RegisteredMemory window, RegisteredMemory messages) {

        ReceiveRequest receive(long slot) {
            return ReceiveRequest.prepare(messages.region())
                    .range(slot * MESSAGE, MESSAGE)
                    .wrId(slot);
        }
    }

    /** Why a file is not taken, in words that its sender may read. */
    private static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String why) {
            super(why);
        }
    }

    private FileReceiver(Connection connection) {
        this.connection = connection;
        buffers = (FileBuffers) connection.id().attachment();
    }

    /**
     * Needs an RDMA device. Runs until you end it, and serves one sender at a time.
     *
     * @param args the folder for the files; the address and port to listen at
     * @throws IOException if there is no such folder, and it cannot be created
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws IOException, InterruptedException {
        if (args.length < 3) {
            System.err.println("usage: FileReceiver FOLDER ADDRESS PORT");
            System.exit(2);
        }
        Path folder = Files.createDirectories(Path.of(args[0]));
        try (var listener = listen(new InetSocketAddress(args[1], Integer.parseInt(args[2])))) {
            while (true) {
                System.out.println(receive(listener, folder));
            }
        }
    }

    static Listener listen(InetSocketAddress address) {
        var listener =
                Listener.bind(address, config -> config.connections(setup -> setup.prepare(FileReceiver::prepare)));
        System.out.println("listening at " + listener.localAddress());
        return listener;
    }

    private static void prepare(Connection connection) {
        var buffers = new FileBuffers(
                connection.allocate(WINDOW * PIECE, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE),
                connection.allocate(ANSWERS_AT + RECEIVES * MESSAGE, AccessFlag.LOCAL_WRITE));
        connection.id().attach(buffers);
        for (int slot = 0; slot < RECEIVES; slot++) {
            connection.queuePair().post(buffers.receive(slot));
        }
    }

    /** Takes a file of one sender; returns what became of it, in words. */
    static String receive(Listener listener, Path folder) throws InterruptedException {
        Connection connection = listener.accept();
        try (connection) {
            var receiver = new FileReceiver(connection);
            String result;
            try {
                Path file = receiver.receive(folder);
                receiver.answer(ACCEPTED);
                result = "received " + file.getFileName();
            } catch (RefusedException e) {
                receiver.refuse(e.getMessage());
                result = "refused: " + e.getMessage();
            } catch (IOException e) { // names files of this machine, which the sender need not know
                receiver.refuse("the file cannot be stored");
                result = "not stored: " + e;
            }
            connection.awaitEnd(DEADLINE); // the sender has read the answer, and leaves
            return result;
        } catch (CmException e) {
            return "the sender has gone: " + e.failure();
        }
    }

    private Path receive(Path folder) throws IOException, InterruptedException {
        ByteBuffer offer = message(OFFER);
        long length = offer.getLong();
        String name = UTF_8.decode(offer).toString();
        if (!name.matches("[\\p{L}\\p{N}_-][\\p{L}\\p{N}_. -]*")) { // no way out of the folder, nothing hidden
            throw new RefusedException("a file is not to have this name");
        }
        if (length < 0 || length > Files.getFileStore(folder).getUsableSpace()) {
            throw new RefusedException("no room for " + length + " bytes");
        }
        Path part = Files.createTempFile(folder, ".", ".part"); // only this user may read it
        try {
            fill(part, length);
            return Files.move(
                    part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private void fill(Path part, long length) throws IOException, InterruptedException {
        try (var channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
            MessageDigest sum = sha256();
            RemoteMemory window = buffers.window().region().remoteMemory();
            answer(window.write(ByteBuffer.allocate(1 + RemoteMemory.BYTES).put(ACCEPTED))
                    .array());
            long left = length;
            for (int number = 0; left > 0; number++) {
                int pieceLength = (int) Math.min(left, PIECE);
                next();
                if (done.opcode(0) != CompletionOpcode.RECV_RDMA_WITH_IMM
                        || done.immediate(0) != number
                        || done.byteLength(0) != pieceLength) {
                    throw new RefusedException("not piece " + number + " of the file");
                }
                ByteBuffer piece =
                        buffers.window().segment().asByteBuffer().slice(number % WINDOW * PIECE, pieceLength);
                sum.update(piece.duplicate());
                while (piece.hasRemaining()) {
                    channel.write(piece);
                }
                repost();
                answer(ACCEPTED); // the sender may use this part of the window again
                left -= pieceLength;
            }
            byte[] expected = new byte[sum.getDigestLength()];
            message(END).get(expected);
            if (!MessageDigest.isEqual(expected, sum.digest())) {
                throw new RefusedException("the checksum is wrong");
            }
            channel.force(true);
        }
    }

    /** The content of the next message, which is to be of a kind: a copy, so that it stays as it was looked at. */
    private ByteBuffer message(byte kind) throws IOException, InterruptedException {
        next();
        int least = kind == OFFER ? 1 + Long.BYTES : 1 + 32;
        int length = Math.toIntExact(done.byteLength(0));
        if (done.opcode(0) != CompletionOpcode.RECV || length < least) {
            throw new RefusedException("a message that makes no sense");
        }
        ByteBuffer message = ByteBuffer.allocate(length);
        message.put(0, buffers.messages().segment().asByteBuffer(), Math.toIntExact(done.wrId(0)) * MESSAGE, length);
        repost();
        if (message.get() != kind) {
            throw new RefusedException("a message that makes no sense");
        }
        return message;
    }

    private void repost() {
        connection.queuePair().post(buffers.receive(done.wrId(0)));
    }

    /** Waits for what the sender does next. */
    private void next() throws RefusedException, InterruptedException {
        do {
            if (connection.await(done, DEADLINE) == 0) {
                throw new RefusedException("nothing arrived for " + DEADLINE);
            }
        } while (done.isSuccess(0) && done.opcode(0) == CompletionOpcode.SEND); // an answer has gone
        if (!done.isSuccess(0)) {
            throw new RefusedException("the connection is broken: " + done.status(0));
        }
    }

    private void refuse(String reason) {
        byte[] text = reason.getBytes(UTF_8);
        answer(ByteBuffer.allocate(1 + text.length).put(REFUSED).put(text).array());
    }

    /** Sends an answer, from where none of those is that may still be under way. */
    private void answer(byte... text) {
        int at = ANSWERS_AT + answers++ % RECEIVES * MESSAGE;
        int length = Math.min(text.length, MESSAGE);
        buffers.messages().segment().asByteBuffer().put(at, text, 0, length);
        connection
                .queuePair()
                .post(SendRequest.prepare(buffers.messages().region())
                        .range(at, length)
                        .signaled(true));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }
}
