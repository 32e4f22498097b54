package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.nio.file.Path;

/** A file descriptor of this process, which Java keeps to itself, for a C function that wants one. */
public final class FileDescriptor implements AutoCloseable {

    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x8_0000;

    // open(2) has a third parameter only with O_CREAT; without it the call is like that of a plain function.
    private static final NativeFunction OPEN = libc("open", JAVA_INT, ADDRESS, JAVA_INT);
    private static final NativeFunction CLOSE = libc("close", JAVA_INT, JAVA_INT);

    private final int number;

    private FileDescriptor(int number) {
        this.number = number;
    }

    private static NativeFunction libc(String name, MemoryLayout result, MemoryLayout... arguments) {
        var descriptor = FunctionDescriptor.of(result, arguments);
        return new NativeFunction(
                name, () -> Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), descriptor);
    }

    /**
     * Opens a file or folder for reading.
     *
     * @throws UncheckedIOException if it cannot be opened
     */
    public static FileDescriptor open(Path file) {
        try (var call = new NativeCall()) {
            int fd = call.integer(OPEN, call.allocateFrom(file.toString()), O_RDONLY | O_CLOEXEC);
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
            call.integer(CLOSE, number);
        }
    }
}
