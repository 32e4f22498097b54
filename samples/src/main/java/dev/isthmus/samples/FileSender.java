// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Connector;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;

/**
 * Writes a file by RDMA WRITE into the window that a {@link FileReceiver} offers, two pieces at a time, and shows its
 * progress. The last message is the file's SHA-256.
 */
public final class FileSender implements AutoCloseable {

    private static final int PIECE = FileReceiver.PIECE;
    private static final int WINDOW = FileReceiver.WINDOW;
    private static final int MESSAGE = FileReceiver.MESSAGE;
    private static final int MESSAGE_AT = WINDOW * PIECE; // behind the pieces
    private static final int ANSWERS_AT = MESSAGE_AT + MESSAGE;
    private static final int BAR = 40; // characters

    private final Connection connection;
    private final RegisteredMemory memory;
    private final ByteBuffer bytes; // the memory
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private final ByteBuffer answer = ByteBuffer.allocate(MESSAGE); // the last one
    private long posted; // requests
    private long completed;
    private long answered;
    private int shown = -1; // percent

    private FileSender(Connection connection) {
        this.connection = connection;
        memory = connection.allocate(ANSWERS_AT + FileReceiver.RECEIVES * MESSAGE, AccessFlag.LOCAL_WRITE);
        bytes = memory.segment().asByteBuffer();
        for (int slot = 0; slot < FileReceiver.RECEIVES; slot++) {
            receive(slot);
        }
    }

    /**
     * Needs an RDMA device.
     *
     * @param args the file; the address and port of the receiver
     * @throws IOException if the file cannot be read, or the receiver refuses it
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws IOException, InterruptedException {
        if (args.length < 3) {
            System.err.println("usage: FileSender FILE ADDRESS PORT");
            System.exit(2);
        }
        send(
                Path.of(args[0]),
                Path.of(args[0]).getFileName().toString(),
                new InetSocketAddress(args[1], Integer.parseInt(args[2])));
    }

    static void send(Path file, String name, InetSocketAddress receiver) throws IOException, InterruptedException {
        try (var channel = FileChannel.open(file, StandardOpenOption.READ);
                var sender = connect(receiver)) {
            MessageDigest sum = FileReceiver.sha256();
            long length = channel.size(); // what is appended meanwhile is not sent
            sender.offer(name, length);
            sender.write(channel, length, sum);
            sender.end(sum.digest());
        }
    }

    static FileSender connect(InetSocketAddress receiver) throws InterruptedException {
        return new FileSender(Connector.connect(receiver, FileReceiver.DEADLINE));
    }

    void offer(String name, long length) throws IOException, InterruptedException {
        byte[] text = name.getBytes(UTF_8);
        if (text.length > MESSAGE - 9) {
            throw new IOException("the name is too long: " + name);
        }
        message(ByteBuffer.allocate(9 + text.length)
                .put(FileReceiver.OFFER)
                .putLong(length)
                .put(text)
                .array());
        awaitAnswer(1);
    }

    private void write(FileChannel file, long length, MessageDigest sum) throws IOException, InterruptedException {
        RemoteMemory window = RemoteMemory.read(answer.clear().position(1));
        var write = SendRequest.prepare(memory.region())
                .opcode(SendOpcode.RDMA_WRITE_WITH_IMM)
                .signaled(true);
        long offers = answered;
        for (int number = 0; (long) number * PIECE < length; number++) {
            long at = (long) number * PIECE;
            awaitAnswer(offers + number - WINDOW + 1); // the receiver is done with the piece that was in this slot
            while (completed < posted - WINDOW + 1) {
                next();
            }
            int slot = number % WINDOW * PIECE;
            ByteBuffer piece = bytes.slice(slot, (int) Math.min(length - at, PIECE));
            while (piece.hasRemaining()) {
                if (file.read(piece, at + piece.position()) < 0) {
                    throw new EOFException("the file became shorter while it was sent");
                }
            }
            sum.update(piece.flip());
            post(write.range(slot, piece.limit()).remote(window, slot).immediate(number));
            show(at, length);
        }
        awaitAnswer(offers + (length + PIECE - 1) / PIECE);
        show(length, length);
    }

    void end(byte[] sum) throws IOException, InterruptedException {
        message(ByteBuffer.allocate(1 + sum.length)
                .put(FileReceiver.END)
                .put(sum)
                .array());
        awaitAnswer(answered + 1);
    }

    private void message(byte... message) throws IOException, InterruptedException {
        while (completed < posted) { // the message before this one
            next();
        }
        bytes.put(MESSAGE_AT, message);
        post(SendRequest.prepare(memory.region())
                .range(MESSAGE_AT, message.length)
                .signaled(true));
    }

    private void post(SendRequest request) {
        connection.queuePair().post(request);
        posted++;
    }

    /** Waits until there are so many answers in all, and all are good. */
    private void awaitAnswer(long count) throws IOException, InterruptedException {
        while (answered < count) {
            next();
        }
    }

    private void next() throws IOException, InterruptedException {
        if (connection.await(done, FileReceiver.DEADLINE) == 0) {
            throw new IOException("the receiver has not answered for " + FileReceiver.DEADLINE.toSeconds() + " s");
        }
        if (!done.isSuccess(0)) {
            throw new IOException("the receiver does not answer: " + done.status(0));
        }
        if (done.opcode(0) != CompletionOpcode.RECV) {
            completed++;
            return;
        }
        answered++;
        int slot = Math.toIntExact(done.wrId(0));
        int length = Math.toIntExact(done.byteLength(0));
        answer.clear().put(0, bytes, ANSWERS_AT + slot * MESSAGE, length);
        receive(slot);
        if (length == 0 || answer.get(0) != FileReceiver.ACCEPTED) {
            String reason =
                    UTF_8.decode(answer.limit(Math.max(1, length)).position(1)).toString();
            throw new IOException("the receiver refuses: " + reason.replaceAll("\\p{C}", "?")); // for a terminal
        }
    }

    private void receive(int slot) {
        connection
                .queuePair()
                .post(ReceiveRequest.prepare(memory.region())
                        .range(ANSWERS_AT + slot * MESSAGE, MESSAGE)
                        .wrId(slot));
    }

    private void show(long sent, long length) {
        int percent = length == 0 ? 100 : (int) (sent * 100 / length);
        if (percent != shown) {
            shown = percent;
            int full = percent * BAR / 100;
            System.out.printf(
                    "\r[%s%s] %3d%%%s",
                    "#".repeat(full), "-".repeat(BAR - full), percent, percent == 100 ? System.lineSeparator() : "");
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
