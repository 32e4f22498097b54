// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.isthmus.nio.RdmaSocketChannel;
import dev.isthmus.nio.RdmaSocketOptions;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Locale;

/**
 * Compares Valkey over TCP and over RDMA. A connection of each kind does the same, in turns, and the table has how long a
 * command takes: the median of the rounds. The server listens for both at one port.
 */
public final class ValkeyBench {

    private static final int[] LENGTHS = {16, 1024, 65_536, 1 << 20};
    private static final int[] PIPELINES = {1, 16};
    private static final int MOST_LENGTH = 1 << 20;
    private static final int MOST_BYTES =
            16 * MOST_LENGTH; // of a pipeline and of its answer, with room for what is around values
    private static final int DEFAULT_PORT = 6379;
    private static final int DEFAULT_ROUNDS = 100;
    private static final byte[] OK = "+OK\r\n".getBytes(US_ASCII);

    private final ByteBuffer answer = ByteBuffer.allocateDirect(MOST_BYTES + 4096);

    private ValkeyBench() {}

    /**
     * Needs an RDMA device, and a server.
     *
     * @param args the server's address, and its port, the number of rounds, and the lengths of values if they are not 6379, 100,
     *     and 16 B to 1 MiB
     * @throws IOException if a connection cannot be made, or fails
     */
    public static void main(String... args) throws IOException {
        if (args.length < 1) {
            System.err.println("usage: ValkeyBench ADDRESS [PORT [ROUNDS [BYTES]...]]");
            System.exit(2);
        }
        var to = new InetSocketAddress(args[0], args.length > 1 ? Integer.parseInt(args[1]) : DEFAULT_PORT);
        int rounds = args.length > 2 ? Integer.parseInt(args[2]) : DEFAULT_ROUNDS;
        int[] lengths = args.length > 3
                ? Arrays.stream(args).skip(3).mapToInt(Integer::parseInt).toArray()
                : LENGTHS;
        if (Arrays.stream(lengths).anyMatch(length -> length < 0 || length > MOST_LENGTH)) {
            System.err.println("values have 0 to " + MOST_LENGTH + " bytes");
            System.exit(2);
        }
        try (SocketChannel tcp = SocketChannel.open(to);
                RdmaSocketChannel rdma = RdmaSocketChannel.open()) {
            rdma.setOption(RdmaSocketOptions.VALKEY, true);
            rdma.connect(to);
            System.out.println("   bytes  pipeline  command   TCP us  RDMA us");
            for (int length : lengths) {
                for (int pipeline : PIPELINES) {
                    new ValkeyBench().compare(tcp, rdma, length, pipeline, rounds);
                }
            }
        }
    }

    private void compare(SocketChannel tcp, SocketChannel rdma, int length, int pipeline, int rounds)
            throws IOException {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) 'v');
        compare(tcp, rdma, length, pipeline, rounds, "SET", commands(pipeline, value, "SET", "bench"), OK);
        ByteBuffer wanted = ByteBuffer.allocate(length + 32);
        wanted.put(("$" + length + "\r\n").getBytes(US_ASCII)).put(value).put("\r\n".getBytes(US_ASCII));
        byte[] one = Arrays.copyOf(wanted.array(), wanted.position());
        compare(tcp, rdma, length, pipeline, rounds, "GET", commands(pipeline, null, "GET", "bench"), one);
    }

    /** The same command several times, as RESP: an array of strings with their lengths. */
    private static ByteBuffer commands(int pipeline, byte[] value, String... words) {
        var text = new StringBuilder("*" + (words.length + (value == null ? 0 : 1)) + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        ByteBuffer into =
                ByteBuffer.allocateDirect(pipeline * (text.length() + 32 + (value == null ? 0 : value.length)));
        for (int i = 0; i < pipeline; i++) {
            into.put(text.toString().getBytes(US_ASCII));
            if (value != null) {
                into.put(("$" + value.length + "\r\n").getBytes(US_ASCII));
                into.put(value).put("\r\n".getBytes(US_ASCII));
            }
        }
        return into.flip();
    }

    private void compare(
            SocketChannel tcp,
            SocketChannel rdma,
            int length,
            int pipeline,
            int rounds,
            String what,
            ByteBuffer commands,
            byte[] answers)
            throws IOException {
        long[] overTcp = new long[rounds];
        long[] overRdma = new long[rounds];
        for (int i = -rounds / 10 - 1; i < rounds; i++) { // some first, which do not count
            long first = time(tcp, commands, pipeline, answers);
            long second = time(rdma, commands, pipeline, answers);
            if (i >= 0) {
                overTcp[i] = first;
                overRdma[i] = second;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%8d  %8d  %7s %8.1f %8.1f%n",
                length,
                pipeline,
                what,
                median(overTcp) / 1000.0 / pipeline,
                median(overRdma) / 1000.0 / pipeline);
    }

    private long time(SocketChannel channel, ByteBuffer commands, int pipeline, byte[] answers) throws IOException {
        long begin = System.nanoTime();
        channel.write(commands.rewind()); // all of it, as the channel blocks
        answer.clear().limit(pipeline * answers.length);
        while (answer.hasRemaining()) {
            if (channel.read(answer) < 0) {
                throw new EOFException("the server has closed the connection");
            }
        }
        long time = System.nanoTime() - begin;
        if (answer.slice(answer.limit() - answers.length, answers.length).mismatch(ByteBuffer.wrap(answers)) >= 0) {
            throw new IOException("the server answered something else");
        }
        return time;
    }

    private static long median(long[] times) {
        Arrays.sort(times);
        return times[times.length / 2];
    }
}
