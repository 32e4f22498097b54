// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The setting and the runs of a comparison, in a JSON file of a directory. Each run is a line, and on the disk before the
 * next one is measured, so whatever ends a comparison leaves what was measured. One process writes to a directory at a
 * time.
 */
final class RunStore implements AutoCloseable {

    static final String FILE = "results.json";

    static final ObjectMapper JSON = JsonMapper.builder()
            .addModule(new Jdk8Module())
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_ABSENT, JsonInclude.Include.NON_ABSENT))
            .enable(
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                    DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** The end of the first line, which has the setting. */
    private static final String BEGIN = ",\"runs\":[\n";

    /** The last line, which the next run overwrites. */
    private static final String END = "]}\n";

    private final Path dir;
    private final Setting setting;
    private final List<Run> runs = new ArrayList<>();
    private final RandomAccessFile file; // null if it is only read
    private long written; // without the end

    private RunStore(Path dir, Setting setting, RandomAccessFile file) {
        this.dir = dir;
        this.setting = setting;
        this.file = file;
    }

    /**
     * Begins a comparison.
     *
     * @param dir where; created if it does not exist
     * @throws IOException if another comparison is there, or it cannot be written
     */
    static RunStore create(Path dir, Setting setting) throws IOException {
        Files.createDirectories(dir);
        requireNone(dir);
        var store = new RunStore(dir, setting, locked(dir));
        store.append(begin(setting));
        return store;
    }

    /** Refuses a directory that already has a comparison. */
    static void requireNone(Path dir) throws IOException {
        if (isIn(dir)) {
            throw new IOException(dir + " holds a comparison already: --resume it, or choose another --out");
        }
    }

    private static void requireOne(Path dir) throws IOException {
        if (!isIn(dir)) {
            throw new IOException(dir + " holds no comparison: there is no " + FILE);
        }
    }

    /** Whether a directory has a comparison. */
    static boolean isIn(Path dir) {
        return Files.exists(dir.resolve(FILE));
    }

    /**
     * Continues a comparison. What its last run left half written is dropped.
     *
     * @throws IOException if there is none, if it is damaged, or if another process is continuing it
     */
    static RunStore open(Path dir) throws IOException {
        requireOne(dir);
        RandomAccessFile file = locked(dir); // before it is read, so that nobody adds to it meanwhile
        try {
            RunStore store = read(dir, file);
            store.append("");
            return store;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Reads a comparison, which may still be running. Nothing can be added.
     *
     * @throws IOException if there is none, or if it is damaged
     */
    static RunStore read(Path dir) throws IOException {
        requireOne(dir);
        return read(dir, null);
    }

    private static RunStore read(Path dir, RandomAccessFile file) throws IOException {
        Path path = dir.resolve(FILE);
        String[] lines = new String(Files.readAllBytes(path), StandardCharsets.UTF_8).split("(?<=\n)", -1);
        int count = 0;
        try {
            if (!lines[0].endsWith(BEGIN)) {
                throw new IOException(path + ", line 1, is damaged: it does not begin as a comparison does");
            }
            String head = lines[0].substring(0, lines[0].length() - BEGIN.length());
            var store = new RunStore(dir, JSON.readValue(head + "}", Setting.class), file);
            // What has no end of its line was not written completely.
            for (count = 1; lines[count].endsWith("\n") && !lines[count].startsWith("]"); count++) {
                store.runs.add(JSON.readValue(lines[count].replaceFirst("^,", ""), Run.class));
            }
            store.written = Arrays.stream(lines, 0, count)
                    .mapToLong(line -> line.getBytes(StandardCharsets.UTF_8).length)
                    .sum();
            return store;
        } catch (JsonProcessingException e) {
            throw new IOException(path + ", line " + (count + 1) + ", is damaged: " + e.getOriginalMessage(), e);
        }
    }

    /** The file, which nobody else can lock until it is closed, at the latest when the process ends. */
    private static RandomAccessFile locked(Path dir) throws IOException {
        var file = new RandomAccessFile(dir.resolve(FILE).toFile(), "rw");
        try {
            if (file.getChannel().tryLock() != null) {
                return file;
            }
        } catch (OverlappingFileLockException e) {
            // Another comparison of this process has it.
        }
        file.close();
        throw new IOException(dir + " is written by another comparison");
    }

    /** The content of a file with these runs. */
    static String text(Setting setting, List<Run> runs) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Run run : runs) {
            lines.add(JSON.writeValueAsString(run) + "\n");
        }
        return begin(setting) + String.join(",", lines) + END;
    }

    private static String begin(Setting setting) throws IOException {
        String object = JSON.writeValueAsString(setting);
        return object.substring(0, object.length() - 1) + BEGIN;
    }

    /** The directory. */
    Path dir() {
        return dir;
    }

    /** What is measured, and where. */
    Setting setting() {
        return setting;
    }

    /** All runs, in the order in which they were measured. */
    List<Run> runs() {
        return List.copyOf(runs);
    }

    /**
     * Refuses to continue in another setting.
     *
     * @throws IOException with what differs
     */
    void requireSame(Map<String, String> now) throws IOException {
        Optional<String> difference = setting.difference(now);
        if (difference.isPresent()) {
            throw new IOException(dir + " cannot be resumed here and now: " + difference.get());
        }
    }

    /**
     * Adds a run. It is on the disk when this returns; an interrupt does not disturb it.
     *
     * @throws IOException if it cannot be written; another attempt may be made
     * @throws IllegalArgumentException if a time or a rate is negative, or a figure is not a number
     */
    void add(Run run) throws IOException {
        run.requireFigures();
        append((runs.isEmpty() ? "" : ",") + JSON.writeValueAsString(run) + "\n");
        runs.add(run);
    }

    /** Writes over the end, and over whatever a failed attempt or an interrupted process left after the last whole line. */
    private void append(String lines) throws IOException {
        if (file == null) {
            throw new IllegalStateException(dir + " was opened to be read");
        }
        byte[] bytes = (lines + END).getBytes(StandardCharsets.UTF_8);
        file.seek(written);
        file.write(bytes);
        file.setLength(written + bytes.length);
        file.getFD().sync();
        written += bytes.length - END.length();
    }

    /** Lets another process go on. */
    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
