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
import java.util.List;
import java.util.Optional;

/**
 * The setting and the runs of a comparison, in a JSON file of a directory. Each run is a line, and on the disk before the
 * next one is measured, so whatever ends a comparison leaves what was measured. One process writes to a directory at a
 * time. Thread-safe.
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
    private final Content content;
    private final Optional<RandomAccessFile> file;
    private long written;

    private RunStore(Path dir, Content content, Optional<RandomAccessFile> file) {
        this.dir = dir;
        this.content = content;
        this.file = file;
        this.written = content.bytes();
    }

    /** What is in a file, and where its last run ends. */
    private record Content(Setting setting, List<Run> runs, long bytes) {}

    /**
     * Begins a comparison.
     *
     * @param dir where; created if it does not exist
     * @throws IOException if another comparison is there, or it cannot be written
     */
    static RunStore create(Path dir, Setting setting) throws IOException {
        Files.createDirectories(dir);
        requireNone(dir);
        var store = new RunStore(dir, new Content(setting, new ArrayList<>(), 0), Optional.of(locked(dir)));
        try {
            store.append(begin(setting));
            return store;
        } catch (IOException e) {
            store.close();
            throw e;
        }
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
        RandomAccessFile file = locked(dir);
        try {
            var store = new RunStore(dir, content(dir), Optional.of(file));
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
        return new RunStore(dir, content(dir), Optional.empty());
    }

    private static RandomAccessFile locked(Path dir) throws IOException {
        var file = new RandomAccessFile(dir.resolve(FILE).toFile(), "rw");
        boolean mine = false;
        try {
            // Held until the file is closed, at the latest when the process ends.
            mine = file.getChannel().tryLock() != null;
        } catch (OverlappingFileLockException e) {
            mine = false;
        } finally {
            if (!mine) {
                file.close();
            }
        }
        if (!mine) {
            throw new IOException(dir + " is written by another comparison");
        }
        return file;
    }

    private static Content content(Path dir) throws IOException {
        Path path = dir.resolve(FILE);
        String text = Files.readString(path, StandardCharsets.ISO_8859_1); // a character for each byte
        int number = 1;
        try {
            int bytes = text.indexOf('\n') + 1;
            String first = text.substring(0, bytes);
            if (!first.endsWith(BEGIN)) {
                throw new IOException("it does not begin as a comparison does");
            }
            Setting setting = parsed(first.substring(0, bytes - BEGIN.length()) + "}", Setting.class);
            List<Run> runs = new ArrayList<>();
            // What has no end of its line was not written completely.
            for (String line :
                    text.substring(bytes, text.lastIndexOf('\n') + 1).lines().toList()) {
                if (line.startsWith("]")) {
                    break;
                }
                number++;
                runs.add(parsed(line.startsWith(",") ? line.substring(1) : line, Run.class));
                bytes += line.length() + 1;
            }
            return new Content(setting, runs, bytes);
        } catch (IOException e) {
            throw new IOException(path + ", line " + number + ", is damaged: " + e.getMessage(), e);
        }
    }

    private static <T> T parsed(String bytes, Class<T> type) throws IOException {
        try {
            return JSON.readValue(bytes.getBytes(StandardCharsets.ISO_8859_1), type);
        } catch (JsonProcessingException e) {
            throw new IOException(e.getOriginalMessage(), e);
        }
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
        return content.setting();
    }

    /** All runs, in the order in which they were measured. */
    synchronized List<Run> runs() {
        return List.copyOf(content.runs());
    }

    /**
     * Refuses to continue in another setting.
     *
     * @throws IOException with what differs
     */
    void requireSame(Setting now) throws IOException {
        Optional<String> difference = setting().difference(now);
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
    synchronized void add(Run run) throws IOException {
        requireFigures(run);
        append((content.runs().isEmpty() ? "" : ",") + JSON.writeValueAsString(run) + "\n");
        content.runs().add(run);
    }

    /** Writes over the end, and over whatever a failed attempt or an interrupted process left after the last whole line. */
    private void append(String lines) throws IOException {
        RandomAccessFile out = file.orElseThrow(() -> new IllegalStateException(dir + " was opened to be read"));
        byte[] bytes = (lines + END).getBytes(StandardCharsets.UTF_8);
        out.seek(written);
        out.write(bytes);
        out.setLength(written + bytes.length);
        out.getFD().sync();
        written += bytes.length - END.length();
    }

    /** Throws an {@link IllegalArgumentException} if a time or a rate is negative, or a figure is not a number. */
    static void requireFigures(Run run) {
        boolean right = isFigure(run.messagesPerSecond())
                && isFigure(run.bytesPerSecond())
                && isFigure(run.averageMicros().orElse(0))
                && isFigure(run.medianMicros().orElse(0))
                && isFigure(run.p999Micros().orElse(0))
                && isFigure(run.processorMicrosPerMessage().orElse(0))
                && isFigure(run.offeredPerSecond().orElse(0))
                && Double.isFinite(run.overheadBytesPerMessage().orElse(0));
        if (!right) {
            throw new IllegalArgumentException("negative, or not a number: " + run);
        }
    }

    private static boolean isFigure(double value) {
        return value >= 0 && value < Double.POSITIVE_INFINITY;
    }

    /** Lets another process go on. */
    @Override
    public synchronized void close() throws IOException {
        if (file.isPresent()) {
            file.get().close();
        }
    }
}
