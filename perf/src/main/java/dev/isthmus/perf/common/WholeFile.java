// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Replaces files completely or not at all, so a reader never finds half a file. */
public final class WholeFile {

    private WholeFile() {}

    /** Throws if a file cannot be written, for callers that have minutes of work before they write it. */
    public static void check(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(file)) {
            throw new IOException("cannot write " + file);
        }
    }

    /** Writes a value as indented JSON, like {@link #write}. */
    public static void writeJson(Path file, Object value) throws IOException {
        write(
                file,
                new ObjectMapper().writer(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(value));
    }

    /**
     * Writes a file. It is on the disk when this returns.
     *
     * @param file the file, which is replaced if it exists
     * @throws IOException if it cannot be written; then the old file is still there
     */
    public static void write(Path file, byte[] content) throws IOException {
        Path target = file.toAbsolutePath();
        // In the same folder, because a move between file systems is a copy.
        Path draft = target.resolveSibling("." + target.getFileName() + "."
                + ProcessHandle.current().pid() + "-" + Thread.currentThread().threadId() + ".part");
        try {
            try (var out = new FileOutputStream(draft.toFile())) {
                out.write(content);
                out.getFD().sync();
            }
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(draft);
        }
    }
}
