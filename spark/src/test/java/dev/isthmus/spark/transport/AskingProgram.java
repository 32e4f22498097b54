// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Fetches from {@link StallingProgram}; prints {@code ALL} when everything has arrived. */
final class AskingProgram {

    private AskingProgram() {}

    /**
     * Runs it.
     *
     * @param args the transports, the server's number and address, an empty folder, of which file it is to ask for very
     *     much, 0 if for none, and whether it may fail to get that, and then gets other blocks
     */
    public static void main(String... args) throws Exception {
        var blocks = new TestBlocks(Path.of(args[3]), StallingProgram.LENGTHS);
        var server = new Node(Long.parseLong(args[1]), args[2]);
        int greed = Integer.parseInt(args[4]);
        BlockSource none = block -> {
            throw new IOException("no " + block);
        };
        var settings = StallingProgram.settings(args[0], TestDeadlines.ofSeconds(120));
        try (var client = Transport.start(settings, StallingProgram.SECRET, none, (text, e) -> {})) {
            fetch(client, server, blocks);
            if (greed > 0) {
                System.out.println(
                        "CONNECTED " + client.node().id() + " " + client.node().address());
                boolean came = fetchMuch(client, server, greed);
                if (Boolean.parseBoolean(args[5])) {
                    fetchAtLast(client, server, blocks);
                } else {
                    StallingProgram.require(came, "it did not get all");
                }
            } else {
                for (int i = 0; i < 20; i++) {
                    fetch(client, server, blocks);
                }
            }
        }
        System.out.println("ALL");
    }

    /** Fetches until the connection is there again; blocks that Spark would fetch otherwise meanwhile do not count. */
    private static void fetchAtLast(Transport client, Node server, TestBlocks blocks) throws Exception {
        long begin = System.nanoTime();
        Fetched fetched;
        do {
            StallingProgram.require(
                    System.nanoTime() - begin < TestDeadlines.ofSeconds(60).toNanos(), "it was not served again");
            fetched = Fetched.of(client, server, blocks.all()).await();
        } while (fetched.received.size() < blocks.all().size());
        fetch(client, server, blocks);
    }

    private static void fetch(Transport client, Node server, TestBlocks blocks) throws Exception {
        List<BlockKey> keys = blocks.all();
        Fetched fetched = Fetched.of(client, server, keys).await();
        for (int i = 0; i < keys.size(); i++) {
            StallingProgram.require(
                    Arrays.equals(blocks.expected(keys.get(i)), fetched.received.get(i)),
                    keys.get(i) + " did not come: " + fetched.failed + fetched.refused);
        }
    }

    /** More than sockets hold; returns whether all came. */
    private static boolean fetchMuch(Transport client, Node server, int greed) throws Exception {
        var keys = new ArrayList<BlockKey>();
        for (int i = 0; i < (greed == StallingProgram.SHORT ? 3000 : 100); i++) {
            keys.add(new BlockKey(0, greed, i, i + 1));
        }
        Fetched fetched = Fetched.of(client, server, keys).await();
        return fetched.received.size() == keys.size();
    }
}
