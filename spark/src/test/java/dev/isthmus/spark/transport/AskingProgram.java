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
     * @param args the transports, the server's number and address, an empty folder, and of which file it is to ask for very
     *     much; 0 if for none
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
                fetchMuch(client, server, greed);
            } else {
                for (int i = 0; i < 20; i++) {
                    fetch(client, server, blocks);
                }
            }
        }
        System.out.println("ALL");
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

    /** More than sockets hold. */
    private static void fetchMuch(Transport client, Node server, int greed) throws Exception {
        var keys = new ArrayList<BlockKey>();
        for (int i = 0; i < (greed == StallingProgram.SHORT ? 3000 : 100); i++) {
            keys.add(new BlockKey(0, greed, i, i + 1));
        }
        Fetched fetched = Fetched.of(client, server, keys).await();
        StallingProgram.require(fetched.received.size() == keys.size(), "failed: " + fetched.failed + fetched.refused);
    }
}
