// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class RunStoreTest {

    private static final Point POINT = new Point(Way.JAVA_UCX, Benchmark.BOTH_WAYS, 1 << 20, 16);
    private static final Setting SETTING = MadeUp.setting(List.of(POINT));
    private static final Run FULL = MadeUp.run(POINT, 1, 12.345678901234567, 1e-3, MadeUp.HOSTILE + " ä€\u2028");
    private static final Run SPARSE = new Run(
            new Point(Way.JUCX, Benchmark.ONE_WAY, 1, new UcxRoute(UcxRoute.Transport.SHM, UcxRoute.Operation.STREAM)),
            2,
            OptionalDouble.empty(),
            OptionalDouble.of(3),
            OptionalDouble.empty(),
            0,
            0.1 + 0.2,
            OptionalDouble.of(-1.5),
            OptionalDouble.of(0.5),
            false,
            OptionalDouble.of(0.25),
            OptionalDouble.of(1000),
            Optional.of(Distribution.ofMicros(1, 2, 5000)),
            "",
            List.of());

    @TempDir
    private Path folder;

    private Path dir;
    private Path file;

    @BeforeEach
    void nameFiles() {
        dir = folder.resolve("new").resolve("comparison");
        file = dir.resolve("results.json");
    }

    private void store(Run... all) throws IOException {
        try (RunStore store = RunStore.create(dir, SETTING)) {
            for (Run run : all) {
                store.add(run);
            }
        }
    }

    @Test
    void shouldKeepRunsAndSettingAsTheyWere() throws IOException {
        store(FULL, SPARSE);
        assertEquals(4, Files.readAllLines(file).size(), "the setting, two runs and the end");
        try (RunStore again = RunStore.open(dir)) {
            assertEquals(List.of(FULL, SPARSE), again.runs());
            assertEquals(SETTING, again.setting());
            assertEquals(
                    List.copyOf(SETTING.lines().keySet()),
                    List.copyOf(again.setting().lines().keySet()));
            again.requireSame(SETTING.lines());
        }
    }

    @Test
    void shouldHaveARunOnDiskAtOnceAndInTheListOfTheReader() throws IOException {
        try (RunStore store = RunStore.create(dir, SETTING)) {
            store.add(FULL);
            assertEquals(List.of(FULL), RunStore.read(dir).runs());
            store.add(SPARSE);
            assertEquals(List.of(FULL, SPARSE), RunStore.read(dir).runs());
        }
    }

    @Test
    void shouldBeWholeJsonAfterEachRun() throws IOException {
        try (RunStore store = RunStore.create(dir, SETTING)) {
            assertEquals(0, RunStore.JSON.readTree(file.toFile()).get("runs").size());
            store.add(FULL);
            store.add(SPARSE);
            JsonNode content = RunStore.JSON.readTree(file.toFile());
            assertEquals("44.0", content.at("/lines/rdma-core").asText());
            assertEquals(1, content.get("points").size());
            JsonNode full = content.at("/runs/0");
            assertEquals("java-ucx", full.get("way").asText());
            assertEquals(12.345678901234567, full.get("averageMicros").asDouble());
            assertFalse(full.get("doubtful").asBoolean());
            assertFalse(full.has("route") || full.has("overlap"), full::toString);
            JsonNode sparse = content.at("/runs/1");
            assertEquals("stream", sparse.at("/route/operation").asText());
            assertTrue(sparse.get("doubtful").asBoolean());
            assertEquals(2, sparse.at("/percentiles/50").asDouble(), 2e-3);
        }
        assertEquals(Files.readString(file), RunStore.text(SETTING, List.of(FULL, SPARSE)));
    }

    @Test
    void shouldWriteWhatThePlotsAreTestedWith() throws IOException {
        Path sample = Path.of(System.getProperty("isthmus.home", ".."), "docs", "plots", "sample.json");
        Files.createDirectories(dir);
        Files.copy(sample, file);
        RunStore store = RunStore.read(dir);
        assertEquals(8, store.runs().size());
        assertEquals(Files.readString(sample), RunStore.text(store.setting(), store.runs()));
    }

    @Test
    void shouldDropATornLastLineAndGoOnBehindTheLastWholeOne() throws IOException {
        store(FULL, SPARSE);
        byte[] whole = Files.readAllBytes(file);
        String[] lines = Files.readString(file).split("\n", -1);
        int first = (lines[0] + "\n" + lines[1] + "\n").getBytes(StandardCharsets.UTF_8).length;
        int second = first + (lines[2] + "\n").getBytes(StandardCharsets.UTF_8).length;
        for (int length = first; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            try (RunStore again = RunStore.open(dir)) {
                assertEquals(
                        length < second ? List.of(FULL) : List.of(FULL, SPARSE),
                        again.runs(),
                        "of " + length + " bytes");
                assertEquals(
                        again.runs().size(),
                        RunStore.JSON.readTree(file.toFile()).get("runs").size());
                if (length < second) {
                    again.add(SPARSE);
                }
            }
            assertEquals(new String(whole, StandardCharsets.UTF_8), Files.readString(file));
        }
    }

    @Test
    void shouldSayWhichLineIsDamaged() throws IOException {
        store(FULL, SPARSE, FULL);
        for (String damage : List.of("{\"way\":", "{}", "[]", "", "\0", "{\"way\":\"carrier pigeon\"}")) {
            List<String> lines = Files.readAllLines(file);
            lines.set(2, damage);
            Files.writeString(file, String.join("\n", lines) + "\n");
            var e = assertThrows(IOException.class, () -> RunStore.open(dir), damage);
            assertTrue(e.getMessage().contains("results.json, line 3, is damaged"), e.getMessage());
        }
        Files.writeString(file, RunStore.text(SETTING, List.of()));
        RunStore.open(dir).close(); // the failed attempts have let go of it
    }

    @Test
    void shouldSayThatStoredTimesAreDamaged() throws IOException {
        store(SPARSE);
        String line = Files.readString(file);
        Files.writeString(file, line.replaceFirst("\"HISTFAAAA.", "$0-"));
        var e = assertThrows(IOException.class, () -> RunStore.read(dir));
        assertTrue(e.getMessage().contains("line 2, is damaged"), e.getMessage());
    }

    @Test
    void shouldBeResumedInTheSameSettingOnlyOnAnyDay() throws IOException {
        store(FULL);
        try (RunStore store = RunStore.open(dir)) {
            store.requireSame(with(Setting.DATE, "2027-12-31"));
            store.requireSame(with(Setting.LOAD, "0.0 of 2 processors"));
            var e = assertThrows(IOException.class, () -> store.requireSame(with("rdma-core", "58.0")));
            assertTrue(e.getMessage().contains("rdma-core was \"44.0\" and is \"58.0\""), e.getMessage());
            var added = assertThrows(IOException.class, () -> store.requireSame(with("ucx", "1.13")));
            assertTrue(added.getMessage().contains("ucx was not there and is \"1.13\""), added.getMessage());
        }
    }

    private static Map<String, String> with(String name, String value) {
        Map<String, String> lines = new LinkedHashMap<>(SETTING.lines());
        lines.put(name, value);
        return lines;
    }

    @Test
    void shouldNotMixTwoComparisons() throws IOException {
        try (RunStore store = RunStore.create(dir, SETTING)) {
            var e = assertThrows(IOException.class, () -> RunStore.open(dir));
            assertTrue(e.getMessage().contains("is written by another comparison"), e.getMessage());
            store.add(FULL);
        }
        var e = assertThrows(IOException.class, () -> RunStore.create(dir, SETTING));
        assertTrue(e.getMessage().contains("holds a comparison already"), e.getMessage());
        assertEquals(List.of(FULL), RunStore.read(dir).runs());
    }

    @Test
    void shouldSayThatThereIsNoComparison() throws IOException {
        var e = assertThrows(IOException.class, () -> RunStore.open(folder));
        assertTrue(e.getMessage().contains("holds no comparison"), e.getMessage());
        Files.writeString(folder.resolve("results.json"), "{");
        var damaged = assertThrows(IOException.class, () -> RunStore.read(folder));
        assertTrue(damaged.getMessage().contains("results.json, line 1, is damaged"), damaged.getMessage());
    }

    @Test
    void shouldRefuseWhatIsNoFigureAndWritingWhenRead() throws IOException {
        try (RunStore store = RunStore.create(dir, SETTING)) {
            for (double figure : new double[] {Double.NaN, Double.POSITIVE_INFINITY, -1}) {
                Run run = MadeUp.run(POINT, 1, 1, figure, "");
                assertThrows(IllegalArgumentException.class, () -> store.add(run));
                Run slow = MadeUp.run(POINT, 1, figure, 1, "");
                assertThrows(IllegalArgumentException.class, () -> store.add(slow));
            }
        }
        RunStore reader = RunStore.read(dir);
        assertEquals(List.of(), reader.runs());
        assertThrows(IllegalStateException.class, () -> reader.add(FULL));
    }

    @Test
    void shouldAddARunOnAThreadThatIsInterrupted() throws IOException {
        try (RunStore store = RunStore.create(dir, SETTING)) {
            Thread.currentThread().interrupt();
            try {
                store.add(FULL);
                store.add(SPARSE);
            } finally {
                assertTrue(Thread.interrupted());
            }
        }
        assertEquals(List.of(FULL, SPARSE), RunStore.read(dir).runs());
    }
}
