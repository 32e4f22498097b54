// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
    private Path runs;

    @BeforeEach
    void nameFiles() {
        dir = folder.resolve("new").resolve("comparison");
        runs = dir.resolve("runs.jsonl");
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
        assertEquals(2, Files.readAllLines(runs).size());
        try (RunStore again = RunStore.open(dir)) {
            assertEquals(List.of(FULL, SPARSE), again.runs());
            assertEquals(SETTING, again.setting());
            assertEquals(
                    List.copyOf(SETTING.lines().keySet()),
                    List.copyOf(again.setting().lines().keySet()));
            again.requireSame(SETTING);
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
    void shouldDropATornLastLineAndGoOnBehindTheLastWholeOne() throws IOException {
        store(FULL, SPARSE);
        byte[] whole = Files.readAllBytes(runs);
        String[] lines = Files.readString(runs).split("\n", -1);
        int first = (lines[0] + "\n").getBytes(StandardCharsets.UTF_8).length;
        for (int length = first; length < whole.length; length++) {
            Files.write(runs, Arrays.copyOf(whole, length));
            try (RunStore again = RunStore.open(dir)) {
                assertEquals(List.of(FULL), again.runs(), "of " + length + " bytes");
                again.add(SPARSE);
            }
            assertEquals(new String(whole, StandardCharsets.UTF_8), Files.readString(runs));
        }
    }

    @Test
    void shouldSayWhichLineIsDamaged() throws IOException {
        store(FULL, SPARSE, FULL);
        for (String damage : List.of("{\"way\":", "{}", "[]", "", "\0", "{\"way\":\"carrier pigeon\"}")) {
            List<String> lines = Files.readAllLines(runs);
            lines.set(1, damage);
            Files.writeString(runs, String.join("\n", lines) + "\n");
            var e = assertThrows(IOException.class, () -> RunStore.open(dir), damage);
            assertTrue(e.getMessage().contains("runs.jsonl, line 2, is damaged"), e.getMessage());
        }
        Files.writeString(runs, "");
        RunStore.open(dir).close(); // the failed attempts have let go of it
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
            Setting other = MadeUp.setting(List.of(POINT, FULL.point()));
            assertThrows(IOException.class, () -> store.requireSame(other));
        }
    }

    private static Setting with(String name, String value) {
        Map<String, String> lines = new LinkedHashMap<>(SETTING.lines());
        lines.put(name, value);
        return new Setting(lines, SETTING.points());
    }

    /** A file from before there were rates, processor times and histograms. */
    @Test
    void shouldGoOnWithAComparisonOfBefore() throws IOException {
        Files.createDirectories(dir);
        Files.writeString(dir.resolve("setting.json"), """
                {"lines":{"rounds":"3"},"points":[{"way":"nio-blocking","benchmark":"ping-pong","bytes":64,"connections":1}]}
                """);
        Files.writeString(runs, """
                {"way":"nio-blocking","benchmark":"ping-pong","bytes":64,"connections":1,"round":1,"averageMicros":20.5,\
                "messagesPerSecond":97560.9,"bytesPerSecond":6243897.6,"steady":true,"command":"again","jvmFlags":["-Xmx256m"]}
                """);
        try (RunStore store = RunStore.open(dir)) {
            Run old = store.runs().getFirst();
            assertEquals(OptionalDouble.of(20.5), old.averageMicros());
            assertEquals(OptionalDouble.empty(), old.processorMicrosPerMessage());
            assertEquals(Optional.empty(), old.times());
            Point point = new Point(Way.NIO_BLOCKING, Benchmark.PING_PONG, 64, 1);
            assertEquals(List.of(point), store.setting().points());
            store.requireSame(new Setting(Map.of("rounds", "3"), List.of(point)));
            store.add(MadeUp.run(point, 2, 21, 1e5, "again"));
            Summary both = Summary.of(store.runs()).getFirst();
            assertEquals(2, both.runs());
            assertEquals(1, both.times().size());
        }
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
        Files.writeString(folder.resolve("setting.json"), "{", StandardOpenOption.CREATE);
        var damaged = assertThrows(IOException.class, () -> RunStore.read(folder));
        assertTrue(damaged.getMessage().contains("setting.json is damaged"), damaged.getMessage());
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
        assertEquals(0, Files.size(runs));
        RunStore reader = RunStore.read(dir);
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
