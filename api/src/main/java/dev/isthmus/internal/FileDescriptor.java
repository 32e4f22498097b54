// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A file descriptor of this process, which Java otherwise hides, for a C function that takes one. */
public final class FileDescriptor implements AutoCloseable {

    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x8_0000;

    private final int number;

    private FileDescriptor(int number) {
        this.number = number;
    }

    /**
     * Opens a file or folder for reading.
     *
     * @throws UncheckedIOException if it cannot be opened
     */
    public static FileDescriptor open(Path file) {
        try (var call = new NativeCall()) {
            int fd = call.integer(Libc.OPEN, call.allocateFrom(file.toString()), O_RDONLY | O_CLOEXEC);
            if (fd < 0) {
                throw new UncheckedIOException(
                        new IOException("cannot open " + file + ": " + Errno.describe(call.errno())));
            }
            return new FileDescriptor(fd);
        }
    }

    /** Its number. */
    public int number() {
        return number;
    }

    @Override
    public void close() {
        try (var call = new NativeCall()) {
            call.integer(Libc.CLOSE, number);
        }
    }
}
