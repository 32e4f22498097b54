// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.process.Scratch;
import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The C programs, compiled by this machine's compiler in a folder that is removed on close. */
public final class CPrograms implements AutoCloseable {

    private static final String HEADER = "blocks.h";

    private final Path folder = Files.createTempDirectory("isthmus-c-");

    /** Has no programs yet. */
    public CPrograms() throws IOException {}

    /** Compiles the twin of a suite; returns the program. */
    Path compile(Suite suite) throws IOException, InterruptedException {
        copy(CPrograms.class, HEADER);
        return compile(CPrograms.class, suite.twin(), suite.libraries());
    }

    /** Compiles a source that is a resource of a class, by its name without suffix; returns the program. */
    public Path compile(Class<?> owner, String name, List<String> libraries) throws IOException, InterruptedException {
        Path program = folder.resolve(name);
        compile(copy(owner, name + ".c"), program, libraries);
        return program;
    }

    /** Compiles a program; the compiler's messages go to our standard error. */
    private static void compile(Path source, Path program, List<String> libraries)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("cc", "-std=gnu11", "-Wall", "-O2", "-pthread", "-o", program.toString(), source.toString()));
        command.addAll(libraries);
        int status;
        try {
            status = Tool.run(command);
        } catch (IOException e) {
            throw new IOException("cannot run cc: install gcc and libc6-dev (" + e.getMessage() + ")", e);
        }
        if (status != 0) {
            throw new IOException("cc ended with " + status + ": install libibverbs-dev, librdmacm-dev and libucx-dev");
        }
    }

    private Path copy(Class<?> owner, String name) throws IOException {
        Path file = folder.resolve(name);
        try (InputStream text = owner.getResourceAsStream(name)) {
            Files.copy(text, file, StandardCopyOption.REPLACE_EXISTING); // suites share some
        }
        return file;
    }

    /** The compiler and its version. */
    public static String compiler() throws IOException {
        return "cc " + Tool.firstLine("cc", "-dumpfullversion");
    }

    @Override
    public void close() throws IOException {
        Scratch.remove(folder);
    }
}
