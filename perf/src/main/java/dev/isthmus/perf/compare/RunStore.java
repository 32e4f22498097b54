// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.WholeFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The runs of a comparison, in a directory. Each is on the disk before the next one is measured, so whatever ends a
 * comparison leaves what was measured. One process writes to a directory at a time. Thread-safe.
 */
final class RunStore implements AutoCloseable {

    private static final String SETTING = "setting.json";
    private static final String RUNS = "runs.jsonl";

    private final Path dir;
    private final Setting setting;
    private final List<Run> runs;
    private final Optional<RandomAccessFile> file;
    private long written;

    private RunStore(Path dir, Setting setting, Lines lines, Optional<RandomAccessFile> file) {
        this.dir = dir;
        this.setting = setting;
        this.runs = lines.runs();
        this.written = lines.bytes();
        this.file = file;
    }

    /** Runs, and how many bytes their lines take. */
    private record Lines(List<Run> runs, long bytes) {}

    /**
     * Begins a comparison.
     *
     * @param dir where; created if it does not exist
     * @throws IOException if another comparison is there, or it cannot be written
     */
    static RunStore create(Path dir, Setting setting) throws IOException {
        Files.createDirectories(dir);
        requireNone(dir);
        RandomAccessFile file = locked(dir);
        try {
            WholeFile.write(
                    dir.resolve(SETTING),
                    (RunJson.of(setting).toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
            return new RunStore(dir, setting, new Lines(new ArrayList<>(), 0), Optional.of(file));
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Refuses a directory that already has a comparison. */
    static void requireNone(Path dir) throws IOException {
        if (Files.exists(dir.resolve(SETTING)) || Files.exists(dir.resolve(RUNS))) {
            throw new IOException(dir + " holds a comparison already: --resume it, or choose another --out");
        }
    }

    /** Whether a directory has a comparison. */
    static boolean isIn(Path dir) {
        return Files.exists(dir.resolve(SETTING));
    }

    /**
     * Continues a comparison. What its last run left half written is dropped.
     *
     * @throws IOException if there is none, if it is damaged, or if another process is continuing it
     */
    static RunStore open(Path dir) throws IOException {
        Setting setting = readSetting(dir);
        RandomAccessFile file = locked(dir);
        try {
            return new RunStore(dir, setting, readRuns(dir), Optional.of(file));
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Reads a comparison, which may still be running, for a report. Nothing can be added.
     *
     * @throws IOException if there is none, or if it is damaged
     */
    static RunStore read(Path dir) throws IOException {
        return new RunStore(dir, readSetting(dir), readRuns(dir), Optional.empty());
    }

    private static RandomAccessFile locked(Path dir) throws IOException {
        var file = new RandomAccessFile(dir.resolve(RUNS).toFile(), "rw");
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

    private static Setting readSetting(Path dir) throws IOException {
        try {
            return RunJson.setting(Files.readString(dir.resolve(SETTING)));
        } catch (NoSuchFileException e) {
            throw new IOException(dir + " holds no comparison: there is no " + SETTING, e);
        } catch (IOException e) {
            throw new IOException(dir.resolve(SETTING) + " is damaged: " + e.getMessage(), e);
        }
    }

    private static Lines readRuns(Path dir) throws IOException {
        Path path = dir.resolve(RUNS);
        String text = Files.exists(path) ? Files.readString(path, StandardCharsets.ISO_8859_1) : "";
        int end = text.lastIndexOf('\n') + 1; // the rest was not written completely
        List<Run> runs = new ArrayList<>();
        for (String line : text.substring(0, end).lines().toList()) {
            try {
                byte[] utf8 = line.getBytes(StandardCharsets.ISO_8859_1);
                runs.add(RunJson.run(new String(utf8, StandardCharsets.UTF_8)));
            } catch (IOException e) {
                throw new IOException(path + ", line " + (runs.size() + 1) + ", is damaged: " + e.getMessage(), e);
            }
        }
        return new Lines(runs, end);
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
    synchronized List<Run> runs() {
        return List.copyOf(runs);
    }

    /**
     * Refuses to continue in another setting.
     *
     * @throws IOException with what differs
     */
    void requireSame(Setting now) throws IOException {
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
    synchronized void add(Run run) throws IOException {
        requireFigures(run);
        RandomAccessFile out = file.orElseThrow(() -> new IllegalStateException(dir + " was opened to be read"));
        byte[] line = (RunJson.of(run) + "\n").getBytes(StandardCharsets.UTF_8);
        // Whatever a failed attempt or an interrupted process left after the last whole line goes.
        out.setLength(written);
        out.seek(written);
        out.write(line);
        out.getFD().sync();
        written += line.length;
        runs.add(run);
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
