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
    private static final String TLS = "posix,self";
    private static final int SLICE = 64 << 10;

    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private final TestBlocks blocks;

    private ReusedSliceProgram(Path folder) throws IOException {
        blocks = new TestBlocks(folder, new long[] {5, SLICE}, new long[] {5, SLICE});
    }

    /** One slice to serve from, and one thread that reads, so that blocks are sent in the order of the requests. */
    private Transport start(BlockSource source) {
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
                Map.of("TLS", TLS));
        return Transport.start(settings, SECRET, source, (text, e) -> logged.add(text));
    }

    /**
     * Runs it.
     *
     * @param args none
     */
    public static void main(String... args) throws Exception {
        new ReusedSliceProgram(Files.createTempDirectory("isthmus-reused")).run();
    }

    private void run() throws Exception {
        BlockSource none = block -> {
            throw new IOException("no " + block);
        };
        var held = new CountDownLatch(1);
        var goesOn = new CountDownLatch(1);
        var fetched = new Fetched(2);
        try (var server = start(blocks);
                var client = start(none);
                var other = start(none);
                var hostile = new HostilePeer(SECRET, TLS)) {
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
                    fetched.refused.getOrDefault(1, "").contains("checksum"),
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
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
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
