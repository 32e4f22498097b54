// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server gives up a connection while the client still has a part to get, and reads another block into that slice.
 * Over shared memory the client copies it by itself. Throws if the client takes that for the requested block.
 */
final class ReusedSliceProgram {

    private static final byte[] SECRET = {4, 2};
    private static final int SLICE = 64 << 10;

    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private final TestBlocks blocks;

    private ReusedSliceProgram(Path folder) throws IOException {
        blocks = new TestBlocks(folder, new long[] {5, SLICE}, new long[] {5, SLICE});
    }

    /** One slice to serve from, and one thread that reads, so that blocks are sent in the order of the requests. */
    private Transport start(BlockSource source, Map<String, String> ucx) {
        Settings usual = Settings.defaults();
        var settings = new Settings(
                SLICE,
                SLICE,
                4L * SLICE,
                usual.unpooledBytes(),
                usual.blockBytes(),
                usual.messageBytes(),
                usual.credits(),
                usual.inlineBytes(),
                1,
                usual.patience(),
                usual.connecting(),
                false,
                ucx);
        return Transport.start(settings, SECRET, source, (text, e) -> logged.add(text));
    }

    /**
     * Runs it.
     *
     * @param args {@code held} if the server's thread is to be held while its slice is fetched; otherwise the transports
     */
    public static void main(String... args) throws Exception {
        var program = new ReusedSliceProgram(Files.createTempDirectory("isthmus-reused"));
        if (args[0].equals("held")) {
            program.runHeld();
        } else {
            program.run(args[0]);
        }
    }

    private static final BlockSource NONE = block -> {
        throw new IOException("no " + block);
    };

    /** With the transports that UCX chooses by itself. */
    private void runHeld() throws Exception {
        var held = new CountDownLatch(1);
        var goesOn = new CountDownLatch(1);
        var serverHeld = new CountDownLatch(1);
        var serverGoesOn = new CountDownLatch(1);
        var fetched = new Fetched(2);
        try (var server = start(blocks, Map.of());
                var client = start(NONE, Map.of());
                var other = start(NONE, Map.of())) {
            try {
                client.fetch(server.node(), blocks.all().subList(0, 2), holding(fetched, held, goesOn));
                require(held.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "the short block did not come");
                fetch(other, server, blocks.all().get(2)); // read after the long block, which is thus sent
                server.context().tasks().execute(() -> {
                    serverHeld.countDown();
                    await(serverGoesOn);
                });
                require(serverHeld.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "the server was not held");
                goesOn.countDown();
                fetched.await();
                require(
                        Arrays.equals(blocks.expected(blocks.all().get(1)), fetched.received.get(1)),
                        "the long block did not come: " + fetched.failed + fetched.refused);
            } finally {
                goesOn.countDown();
                serverGoesOn.countDown();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void run(String tls) throws Exception {
        Map<String, String> ucx = Map.of("TLS", tls);
        var held = new CountDownLatch(1);
        var goesOn = new CountDownLatch(1);
        var fetched = new Fetched(2);
        try (var server = start(blocks, ucx);
                var client = start(NONE, ucx);
                var other = start(NONE, ucx);
                var hostile = new HostilePeer(SECRET, tls)) {
            try {
                client.fetch(server.node(), blocks.all().subList(0, 2), holding(fetched, held, goesOn));
                require(held.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "the short block did not come");
                fetch(other, server, blocks.all().get(2)); // read after the long block, which is thus sent
                hostile.connect(server.node());
                var wrong = new PeerMessage.Release(1); // a ticket that nobody has
                hostile.send(HostilePeer.write(wrong, client.node().id(), 1)); // the client connected first
                awaitLog("has ended: the release of a slice that it does not have");
                fetch(other, server, blocks.all().get(3)); // into the only slice
            } finally {
                goesOn.countDown();
            }
            fetched.await();
            require(
                    fetched.refused.getOrDefault(1, "").contains("no longer in its slice"),
                    "refused " + fetched.refused + ", failed " + fetched.failed + ", received "
                            + (Arrays.equals(
                                            fetched.received.get(1),
                                            blocks.expected(blocks.all().get(3)))
                                    ? "the other block"
                                    : fetched.received.keySet()));
        }
    }

    /** Holds the client's only thread when the short block has come, so that the part waits. */
    private static FetchListener holding(Fetched fetched, CountDownLatch held, CountDownLatch goesOn) {
        return new FetchListener() {
            @Override
            public void received(int index, Received block) {
                fetched.received(index, block);
                held.countDown();
                await(goesOn);
            }

            @Override
            public void failed(int index, Exception why) {
                fetched.failed(index, why);
            }

            @Override
            public void refused(int index, String why) {
                fetched.refused(index, why);
            }
        };
    }

    private void fetch(Transport client, Transport server, BlockKey key) throws Exception {
        Fetched one = Fetched.of(client, server.node(), List.of(key)).await();
        require(
                Arrays.equals(blocks.expected(key), one.received.get(0)),
                key + " did not come: " + one.failed + one.refused);
    }

    private void awaitLog(String part) throws InterruptedException {
        String line = "";
        while (!line.contains(part)) {
            line = logged.poll(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            require(line != null, "nothing was logged of: " + part);
        }
    }

    private static void require(boolean so, String what) {
        if (!so) {
            throw new AssertionError(what);
        }
    }
}
