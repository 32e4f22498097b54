// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import static dev.isthmus.programs.ValkeyProgram.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** What can be asked of Valkey without a client. */
final class RawProgram {

    private static final int KEYS = 64;
    private static final int CHUNK = 1 << 16;

    private final String host;
    private final int port;

    RawProgram(String host, int port) {
        this.host = host;
        this.port = port;
    }

    private RawConnection connect() throws IOException {
        return new RawConnection(host, port);
    }

    /** Each command of {@code commands.txt} has the same reply as over TCP, at another address of the server. */
    void commands(String tcpHost) throws IOException {
        List<String> lines;
        try (var in = new BufferedReader(
                new InputStreamReader(RawProgram.class.getResourceAsStream("commands.txt"), UTF_8))) {
            lines = in.lines().filter(line -> !line.isBlank()).toList();
        }
        List<String> overTcp;
        try (var tcp = new RawConnection(tcpHost, port)) {
            overTcp = replies(tcp, lines);
        }
        List<String> overRdma;
        try (RawConnection rdma = connect()) {
            overRdma = replies(rdma, lines);
        }
        int errors = 0;
        for (int i = 0; i < lines.size(); i++) {
            check(
                    overTcp.get(i).equals(overRdma.get(i)),
                    lines.get(i) + ": " + overRdma.get(i) + ", over TCP " + overTcp.get(i));
            errors += overTcp.get(i).startsWith("-") ? 1 : 0;
        }
        System.out.println(lines.size() + " commands, " + errors + " of them refused");
    }

    private static List<String> replies(RawConnection to, List<String> lines) throws IOException {
        check("+OK".equals(to.call("FLUSHALL")), "FLUSHALL");
        List<String> replies = new ArrayList<>();
        for (String line : lines) {
            replies.add(to.call(line.strip().split(" ")));
        }
        return replies;
    }

    /** Adds numbers to keys, all commands under way as far as the server takes them; each reply is the key's sum. */
    void sums(long count) throws Exception {
        try (RawConnection connection = connect()) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                var random = new Random(1);
                try {
                    for (long i = 0; i < count; i++) {
                        connection.send("INCRBY", "sum" + random.nextInt(KEYS), "" + random.nextInt(Integer.MAX_VALUE));
                    }
                    connection.flush();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            var random = new Random(1);
            long[] sums = new long[KEYS];
            for (long i = 0; i < count; i++) {
                int key = random.nextInt(KEYS);
                sums[key] += random.nextInt(Integer.MAX_VALUE);
                String reply = connection.line();
                check(reply.equals(":" + sums[key]), "reply " + i + ": " + reply + ", not " + sums[key]);
            }
            sending.get();
        }
    }

    /** A value of so many bytes, written and read back a chunk at a time. */
    void value(int bytes) throws IOException {
        byte[] chunk = new byte[CHUNK];
        byte[] expected = new byte[CHUNK];
        try (RawConnection connection = connect()) {
            var random = new Random(bytes);
            connection.begin(bytes, "SET", "long");
            for (int at = 0; at < bytes; at += CHUNK) {
                random.nextBytes(chunk);
                connection.out().write(chunk, 0, Math.min(CHUNK, bytes - at));
            }
            connection.endWord();
            connection.flush();
            check("+OK".equals(connection.reply()), "SET");
            random = new Random(bytes);
            connection.send("GET", "long");
            connection.flush();
            check(connection.line().equals("$" + bytes), "GET");
            InputStream in = connection.in();
            for (int at = 0; at < bytes; at += CHUNK) {
                random.nextBytes(expected);
                int length = Math.min(CHUNK, bytes - at);
                check(in.readNBytes(chunk, 0, length) == length, "the value ends early");
                check(
                        Arrays.equals(chunk, 0, length, expected, 0, length),
                        "the value is another from byte " + at + " on, or before " + (at + length));
            }
            check(connection.line().isEmpty(), "the value's end");
            connection.call("DEL", "long");
        }
    }

    /** So many connections at once, all of which the server counts, and serves in turn. */
    void connections(int count) throws IOException {
        List<RawConnection> all = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                all.add(connect());
                check("+OK".equals(all.getLast().call("CLIENT", "SETNAME", "one-of-many")), "SETNAME");
            }
            long known = all.getFirst()
                    .call("CLIENT", "LIST")
                    .lines()
                    .filter(line -> line.contains("name=one-of-many"))
                    .count();
            check(known == count, "the server knows " + known + " of " + count);
            for (int round = 1; round <= 3; round++) {
                for (RawConnection each : all) {
                    each.send("INCR", "many");
                    each.flush();
                }
                long sum = 0;
                for (RawConnection each : all) {
                    sum += Long.parseLong(each.reply().substring(1));
                }
                long last = (long) round * count;
                check(sum == (2 * last - count + 1) * count / 2, "the replies of round " + round + " are others");
            }
        } finally {
            for (RawConnection each : all) {
                each.close();
            }
        }
    }
}
