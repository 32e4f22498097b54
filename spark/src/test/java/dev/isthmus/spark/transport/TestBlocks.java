// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Files with blocks, as map tasks leave them, whose contents follow from the number of the file. */
final class TestBlocks implements BlockSource {

    private final Path folder;
    private final long[][] lengths; // of each file's blocks

    TestBlocks(Path folder, long[]... lengths) throws IOException {
        this.folder = folder;
        this.lengths = lengths;
        for (int map = 0; map < lengths.length; map++) {
            Files.write(file(map), content(map));
        }
    }

    private Path file(int map) {
        return folder.resolve("shuffle_0_" + map + "_0.data");
    }

    private byte[] content(int map) {
        long total = 0;
        for (long length : lengths[map]) {
            total += length;
        }
        byte[] bytes = new byte[Math.toIntExact(total)];
        new Random(map).nextBytes(bytes);
        return bytes;
    }

    /** All blocks, one by one. */
    List<BlockKey> all() {
        var keys = new ArrayList<BlockKey>();
        for (int map = 0; map < lengths.length; map++) {
            for (int i = 0; i < lengths[map].length; i++) {
                keys.add(new BlockKey(0, map, i, i + 1));
            }
        }
        return keys;
    }

    @Override
    public Range find(BlockKey block) throws IOException {
        if (block.shuffle() != 0 || block.map() >= lengths.length || block.end() > lengths[(int) block.map()].length) {
            throw new FileNotFoundException("no " + block);
        }
        long offset = 0;
        long length = 0;
        for (int i = 0; i < block.end(); i++) {
            long one = lengths[(int) block.map()][i];
            offset += i < block.first() ? one : 0;
            length += i < block.first() ? 0 : one;
        }
        return new Range(file((int) block.map()), offset, length);
    }

    /** The expected content of a block. */
    byte[] expected(BlockKey block) throws IOException {
        Range range = find(block);
        byte[] all = content((int) block.map());
        return Arrays.copyOfRange(all, (int) range.offset(), (int) (range.offset() + range.length()));
    }
}
