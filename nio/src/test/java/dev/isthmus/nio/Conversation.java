// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** The part of a peer once it is connected, as {@code peer.c} has it: both print the same lines. */
record Conversation(Pipe pipe, long bytes, Consumer<String> printer) {

    private static final int CHUNK = 65_536;

    /** What carries it. */
    interface Pipe {

        int read(ByteBuffer into) throws IOException;

        /** Writes all. */
        void write(ByteBuffer from) throws IOException;

        void shutdownOutput() throws IOException;

        /** By a channel in blocking mode. */
        static Pipe of(SocketChannel channel) {
            return new Pipe() {
                @Override
                public int read(ByteBuffer into) throws IOException {
                    return channel.read(into);
                }

                @Override
                public void write(ByteBuffer from) throws IOException {
                    channel.write(from);
                }

                @Override
                public void shutdownOutput() throws IOException {
                    channel.shutdownOutput();
                }
            };
        }
    }

    void hold(String job) throws IOException {
        switch (job) {
            case "echo" -> echo();
            case "duplex" -> duplex();
            case "ask" -> {
                producer();
                consume();
            }
            case "answer" -> {
                consume();
                producer();
            }
            case "flood" -> new Conversation(pipe, 1L << 50, printer).produce();
            case "sink" -> consume();
            case "half" -> {
                pipe.shutdownOutput();
                consume();
            }
            default -> throw new IllegalArgumentException(job);
        }
    }

    private static ByteBuffer chunk() {
        return ByteBuffer.allocateDirect(CHUNK).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void produce() throws IOException {
        ByteBuffer chunk = chunk();
        long word = 1;
        long sum = 0;
        for (long left = bytes; left > 0; left -= CHUNK) {
            chunk.clear().limit((int) Math.min(left, CHUNK));
            for (int i = 0; i < chunk.limit(); i += Long.BYTES) {
                word = word * 6364136223846793005L + 1442695040888963407L;
                chunk.putLong(i, word);
                sum = sum * 31 + word;
            }
            pipe.write(chunk);
        }
        report("sent", bytes, sum);
    }

    /** Sends everything, and ends its output. */
    void producer() throws IOException {
        produce();
        pipe.shutdownOutput();
    }

    /** Reads to the end. */
    void consume() throws IOException {
        ByteBuffer chunk = chunk();
        long sum = 0;
        long total = 0;
        int count;
        do {
            count = pipe.read(chunk);
            total += Math.max(count, 0);
            if (count < 0 || !chunk.hasRemaining()) {
                chunk.flip();
                while (chunk.remaining() >= Long.BYTES) {
                    sum = sum * 31 + chunk.getLong();
                }
                chunk.clear();
            }
        } while (count >= 0);
        report("received", total, sum);
    }

    private void report(String what, long count, long sum) {
        printer.accept(String.format(Locale.ROOT, "%s %d %016x", what, count, sum));
    }

    private void echo() throws IOException {
        ByteBuffer chunk = chunk();
        while (pipe.read(chunk) >= 0) {
            pipe.write(chunk.flip());
            chunk.clear();
        }
        printer.accept("end");
    }

    private void duplex() throws IOException {
        var sent = new CompletableFuture<Void>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                producer();
                sent.complete(null);
            } catch (Throwable t) {
                sent.completeExceptionally(t);
            }
        });
        consume();
        try {
            sent.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
