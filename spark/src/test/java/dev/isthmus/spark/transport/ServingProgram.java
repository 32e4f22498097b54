// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Serves blocks until it is killed. It never finds those of one of its files. */
final class ServingProgram {

    static final byte[] SECRET = {4, 2};
    static final BlockKey NEVER_FOUND = new BlockKey(0, 99, 0, 1);
    static final long[][] LENGTHS = {{5, 3 << 20, 100_000, 16 << 10}, {1, 2, 3, 700_000}};

    private ServingProgram() {}

    static Settings settings(String tls) {
        return Settings.defaults().withUcx(Map.of("TLS", tls));
    }

    /**
     * Runs it; prints where it is.
     *
     * @param args the transports, and an empty folder
     */
    public static void main(String... args) throws IOException, InterruptedException {
        var blocks = new TestBlocks(Path.of(args[1]), LENGTHS);
        var never = new CountDownLatch(1);
        var transport =
                Transport.start(settings(args[0]), SECRET, block -> find(blocks, block, never), (text, e) -> {});
        System.out.println(transport.node().id() + " " + transport.node().address());
        never.await();
    }

    private static BlockSource.Range find(TestBlocks blocks, BlockKey block, CountDownLatch never) throws IOException {
        if (block.equals(NEVER_FOUND)) {
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
        return blocks.find(block);
    }
}
