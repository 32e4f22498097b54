// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Fetches from another process, kills it in the middle of a request, and prints what it saw. Throws if that is wrong. */
final class FetchingProgram {

    private FetchingProgram() {}

    /**
     * Runs it.
     *
     * @param args the transports
     */
    public static void main(String... args) throws Exception {
        Path folder = Files.createTempDirectory("isthmus-spark");
        Process server = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        TestDeadlines.option(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServingProgram.class.getName(),
                        args[0],
                        Files.createDirectory(folder.resolve("server")).toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var logged = new ConcurrentLinkedQueue<String>();
        BlockSource none = block -> {
            throw new IOException("no " + block);
        };
        var settings = ServingProgram.settings(args[0]);
        try (var client = Transport.start(settings, ServingProgram.SECRET, none, (text, e) -> logged.add(text))) {
            String[] words = server.inputReader().readLine().split(" ", -1);
            var node = new Node(Long.parseLong(words[0]), words[1]);
            var blocks = new TestBlocks(Files.createDirectory(folder.resolve("client")), ServingProgram.LENGTHS);
            fetchAll(client, node, blocks);
            fetchFromKilled(client, node, server);
            require(client.slicesOut() == 0, client.slicesOut() + " slices are out");
            System.out.println("LOG " + logged);
        } finally {
            server.destroyForcibly();
        }
    }

    private static void fetchAll(Transport client, Node node, TestBlocks blocks) throws Exception {
        Fetched fetched = Fetched.of(client, node, blocks.all()).await();
        for (int i = 0; i < blocks.all().size(); i++) {
            BlockKey key = blocks.all().get(i);
            require(
                    Arrays.equals(blocks.expected(key), fetched.received.get(i)),
                    key + " did not come: " + fetched.failed);
        }
        require(client.figures().bytesByGet.sum() > 3 << 20, "nothing came by get");
    }

    private static void fetchFromKilled(Transport client, Node node, Process server) throws Exception {
        var keys = List.of(ServingProgram.NEVER_FOUND, new BlockKey(0, 0, 1, 2));
        var pending = new Fetched(keys.size());
        client.fetch(node, keys, pending);
        // When something requested later arrives, the server has got the earlier request.
        Fetched.of(client, node, List.of(new BlockKey(0, 1, 0, 1))).await();
        long begin = System.nanoTime();
        server.destroyForcibly().waitFor();
        pending.await();
        long millis = (System.nanoTime() - begin) / 1_000_000;
        require(pending.failed.keySet().contains(0), "told " + pending.refused + pending.received.keySet());
        require(
                pending.failed.get(0).getMessage().contains("is gone"),
                pending.failed.get(0).getMessage());
        require(millis < TestDeadlines.ofSeconds(20).toMillis(), "the dead peer was seen after " + millis + " ms");
        System.out.println(
                "SEEN after " + millis + " ms: " + pending.failed.get(0).getMessage());
        Fetched later = Fetched.of(client, node, keys).await();
        require(later.refused.size() == 2, "told " + later.failed);
    }

    private static void require(boolean so, String what) {
        if (!so) {
            throw new AssertionError(what);
        }
    }
}
