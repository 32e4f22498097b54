// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that are replaced whole or not at all, so that who reads one never finds half of it. */
public final class WholeFile {

    private WholeFile() {}

    /**
     * Writes a file. It is on the disk when this returns.
     *
     * @param file where to; what was there before is replaced
     * @param content all of it
     * @throws IOException if it cannot be written; what was there before is there still
     */
    public static void write(Path file, byte[] content) throws IOException {
        Path target = file.toAbsolutePath();
        // Beside it, because a move between file systems is a copy.
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
