// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class WholeFileTest {

    private static final int TIMES = 20;

    @TempDir
    private Path folder;

    @Test
    void shouldShowReadersOneWholeContentOrTheOther() throws Exception {
        Path file = folder.resolve("report");
        String some = "a".repeat(100);
        String other = "b".repeat(1 << 20);
        write(file, some);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < TIMES; i++) {
                write(file, i % 2 == 0 ? other : some);
            }
        });
        while (!writer.isDone()) {
            assertTrue(Set.of(some, other).contains(Files.readString(file)), "half of a file");
        }
        writer.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        assertOnly("report");
    }

    @Test
    void shouldLeaveWhatWasThereWhenItCannotBeReplaced() throws IOException {
        Path file = folder.resolve("report");
        Files.createDirectory(file);
        Files.createFile(file.resolve("inside"));
        byte[] text = "text".getBytes(StandardCharsets.UTF_8);
        assertThrows(IOException.class, () -> WholeFile.write(file, text));
        assertTrue(Files.exists(file.resolve("inside")));
        assertOnly("report");
        assertThrows(
                IOException.class, () -> WholeFile.write(folder.resolve("none").resolve("report"), text));
        assertOnly("report");
    }

    @Test
    void shouldWriteBytesAsTheyAre() throws IOException {
        byte[] bytes = {0, -1, 10};
        WholeFile.write(folder.resolve("bytes"), bytes);
        assertArrayEquals(bytes, Files.readAllBytes(folder.resolve("bytes")));
    }

    private static void write(Path file, String text) {
        try {
            WholeFile.write(file, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void assertOnly(String name) throws IOException {
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(Set.of(folder.resolve(name)), Set.copyOf(left.toList()));
        }
    }
}
