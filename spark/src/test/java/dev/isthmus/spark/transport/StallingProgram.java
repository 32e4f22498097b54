// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.testbed.TestDeadlines;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/**
 * Serves three other processes, one of which is stopped after it has asked for more than there is memory to send it. Prints
 * what it saw, and throws if the others got less than all.
 */
final class StallingProgram {

    static final byte[] SECRET = {4, 2};
    static final long[] LENGTHS = {5, 600_000, 16 << 10, 100_000, 0};

    /** Any number of blocks of this file, and the next, can be requested. */
    static final int SHORT = 7;

    static final int LONG = 8;

    private static final int SLICE = 64 << 10;
    private static final Duration DEADLINE = TestDeadlines.ofSeconds(120);

    private final String tls;
    private final Path folder;
    private final TestBlocks blocks;
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final ConcurrentLinkedQueue<String> logged = new ConcurrentLinkedQueue<>();

    private StallingProgram(String tls) throws IOException {
        this.tls = tls;
        this.folder = Files.createTempDirectory("isthmus-stalled");
        this.blocks = new TestBlocks(Files.createDirectory(folder.resolve("server")), LENGTHS);
        Files.write(folder.resolve("long"), new byte[32 * SLICE]);
    }

    /** Pools of sixteen slices each. A peer may have all of them except those reserved for others. */
    static Settings settings(String tls, Duration patience) {
        return new Settings(
                SLICE,
                16L * SLICE,
                64L * SLICE,
                1L << 30,
                200 << 20,
                16L * PeerMessage.MAX_BYTES,
                16,
                16 << 10,
                2,
                patience,
                TestDeadlines.ofSeconds(60),
                false,
                Map.of("TLS", tls));
    }

    private BlockSource.Range find(BlockKey block) throws IOException {
        if (block.map() < SHORT) {
            return blocks.find(block);
        }
        asked.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return new BlockSource.Range(folder.resolve("long"), 0, block.map() == SHORT ? 16 << 10 : 32 * SLICE);
    }

    /** Another process, and what it prints. */
    private final class Asker implements AutoCloseable {
        private final Process process;
        private final BufferedReader output;

        Asker(Transport server, int greed) throws IOException {
            this(server, greed, false);
        }

        Asker(Transport server, int greed, boolean returns) throws IOException {
            process = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElseThrow(),
                            "-XX:TieredStopAtLevel=1",
                            TestDeadlines.option(),
                            "-XX:+UseSerialGC",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            AskingProgram.class.getName(),
                            tls,
                            Long.toString(server.node().id()),
                            server.node().address(),
                            Files.createTempDirectory(folder, "asker").toString(),
                            Integer.toString(greed),
                            Boolean.toString(returns))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            output = process.inputReader();
        }

        String next() throws IOException {
            String line = output.readLine();
            require(line != null, "an asker has ended");
            return line;
        }

        void signal(String name) throws Exception {
            // The shell's own: a minimal system has no other.
            int status = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                    .inheritIO()
                    .start()
                    .waitFor();
            require(status == 0, "kill ended with " + status);
        }

        void expectAll() throws Exception {
            String line = next();
            require(line.equals("ALL"), "an asker says " + line);
            require(process.waitFor() == 0, "an asker ended with " + process.exitValue());
        }

        @Override
        public void close() {
            process.destroyForcibly(); // SIGKILL ends a stopped one, too
        }
    }

    /**
     * Runs it.
     *
     * @param args the transports, the file of which too much is asked for, and what is to become of the stopped process
     */
    public static void main(String... args) throws Exception {
        var program = new StallingProgram(args[0]);
        int greed = Integer.parseInt(args[1]);
        try {
            switch (args[2]) {
                case "goes-on" -> program.goOn(greed);
                case "given-up" -> program.giveUp(greed);
                case "returned" -> program.serveAgain(greed);
                case "late" -> program.connectLate();
                case "flooded" -> program.flood();
                default -> throw new IllegalArgumentException(args[2]);
            }
        } finally {
            program.stopped.countDown(); // a failure, too, must release the thread that waits for it
        }
        System.out.println("LOG " + program.logged);
    }

    private Transport start(Duration patience) {
        return Transport.start(settings(tls, patience), SECRET, this::find, (text, e) -> logged.add(text));
    }

    /** Stops the process when it has asked, and waits until nothing more is sent to it. */
    private void stop(Transport server, Asker greedy) throws Exception {
        require(greedy.next().startsWith("CONNECTED"), "no connection");
        asked.await();
        greedy.signal("STOP");
        stopped.countDown();
        long before = -1;
        for (int same = 0; same < 10 || before == 0; ) {
            Thread.sleep(50);
            long now = server.figures().bytesServed.sum()
                    + server.slicesOut()
                    + server.context().memory().messages().slicesOut();
            same = now == before ? same + 1 : 0;
            before = now;
        }
    }

    /** Others are served meanwhile, within the time limit; and everything is as before when it continues. */
    private void goOn(int greed) throws Exception {
        try (var server = start(DEADLINE);
                var greedy = new Asker(server, greed)) {
            stop(server, greedy);
            try (var one = new Asker(server, 0);
                    var other = new Asker(server, 0)) {
                one.expectAll();
                other.expectAll();
            }
            greedy.signal("CONT");
            greedy.expectAll();
            await("slices are out", () -> server.slicesOut() == 0);
        }
    }

    /** The memory that it holds becomes free for others, too. */
    private void giveUp(int greed) throws Exception {
        try (var server = start(TestDeadlines.ofSeconds(10)); // for the good asker, too
                var greedy = new Asker(server, greed)) {
            stopAndGiveUp(server, greedy);
            try (var one = new Asker(server, 0)) {
                one.expectAll();
            }
        }
    }

    private void stopAndGiveUp(Transport server, Asker greedy) throws Exception {
        stop(server, greedy);
        await("it is not given up", () -> hasLogged("it has taken nothing for"));
        await("slices are out", () -> server.slicesOut() == 0);
    }

    private boolean hasLogged(String part) {
        return logged.stream().anyMatch(line -> line.contains(part));
    }

    /** It was given up, goes on, and is served as before. */
    private void serveAgain(int greed) throws Exception {
        try (var server = start(TestDeadlines.ofSeconds(10));
                var greedy = new Asker(server, greed, true)) {
            stopAndGiveUp(server, greedy);
            greedy.signal("CONT");
            greedy.expectAll();
        }
    }

    /** A connection to a stopped process is made when it goes on, though requests did not wait for that. */
    private void connectLate() throws Exception {
        Settings usual = settings(tls, DEADLINE);
        Settings impatient = usual.withTimes(DEADLINE, Duration.ofSeconds(2));
        BlockSource none = block -> {
            throw new IOException("no " + block);
        };
        try (var server = start(DEADLINE);
                var greedy = new Asker(server, SHORT);
                var client = Transport.start(impatient, SECRET, none, (text, e) -> logged.add(text))) {
            String[] words = greedy.next().split(" ", -1);
            var node = new Node(Long.parseLong(words[1]), words[2]);
            greedy.signal("STOP");
            var keys = List.of(new BlockKey(0, 0, 0, 1));
            Fetched waiting = Fetched.of(client, node, keys).await();
            require(waiting.refused.getOrDefault(0, "").contains("it did not answer within"), "told " + waiting.failed);
            greedy.signal("CONT");
            await(
                    "it does not answer",
                    () -> Fetched.of(client, node, keys).await().failed.containsKey(0));
            stopped.countDown();
            greedy.expectAll();
        }
    }

    /** There is a limit to what waits for it. */
    private void flood() throws Exception {
        try (var client = start(DEADLINE);
                var stalled = new Asker(client, SHORT)) {
            String[] words = stalled.next().split(" ", -1);
            var node = new Node(Long.parseLong(words[1]), words[2]);
            asked.await();
            stalled.signal("STOP");
            var keys = Collections.nCopies(500, new BlockKey(0, 0, 0, 1));
            var last = new Fetched(keys.size());
            for (int i = 0; i < 2 * Outbox.MAX_WAITING; i++) {
                client.fetch(node, keys, i == 0 ? last : new Fetched(keys.size()));
            }
            last.await();
            require(
                    last.refused.getOrDefault(0, "").contains("it accepts none of the " + Outbox.MAX_WAITING),
                    "refused: " + last.refused.get(0) + ", failed: " + last.failed.get(0));
            stopped.countDown();
            try (var one = new Asker(client, 0)) {
                one.expectAll();
            }
        }
    }

    private static void await(String otherwise, Callable<Boolean> so) throws Exception {
        long begin = System.nanoTime();
        while (!so.call()) {
            require(System.nanoTime() - begin < DEADLINE.toNanos(), otherwise);
            Thread.sleep(10);
        }
    }

    static void require(boolean so, String what) {
        if (!so) {
            throw new AssertionError(what);
        }
    }
}
