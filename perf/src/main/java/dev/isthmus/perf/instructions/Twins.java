// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The programs in C, compiled by this machine's compiler in a folder that ends with this. */
public final class Twins implements AutoCloseable {

    private static final String HEADER = "blocks.h";

    private final Path folder;
    private final List<Path> files = new ArrayList<>();

    Twins() throws IOException {
        folder = Files.createTempDirectory("isthmus-instructions-");
    }

    /** Compiles the twin of a suite; the program. */
    Path compile(Suite suite) throws IOException, InterruptedException {
        copy(HEADER);
        Path source = copy(suite.twin() + ".c");
        Path program = folder.resolve(suite.twin());
        files.add(program);
        compile(source, program, suite.libraries());
        return program;
    }

    /**
     * Compiles a program; the compiler's words are ours.
     *
     * @param source in C
     * @param program that is to be
     * @param libraries what it is linked with, as the compiler wants it told
     * @throws IOException if there is no compiler, or it fails
     * @throws InterruptedException if the caller is to stop
     */
    public static void compile(Path source, Path program, List<String> libraries)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("cc", "-std=gnu11", "-Wall", "-O2", "-pthread", "-o", program.toString(), source.toString()));
        command.addAll(libraries);
        int status;
        try {
            status = new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException e) {
            throw new IOException("cannot run cc: install gcc and libc6-dev (" + e.getMessage() + ")", e);
        }
        if (status != 0) {
            throw new IOException("cc ended with " + status + ": install libibverbs-dev, librdmacm-dev and libucx-dev");
        }
    }

    private Path copy(String name) throws IOException {
        Path file = folder.resolve(name);
        if (!files.contains(file)) {
            files.add(file);
            try (InputStream text = Twins.class.getResourceAsStream(name)) {
                Files.copy(text, file);
            }
        }
        return file;
    }

    /**
     * The compiler and its version.
     *
     * @return a few words
     * @throws IOException if there is none
     */
    public static String compiler() throws IOException {
        Process process = new ProcessBuilder("cc", "-dumpfullversion").start();
        return "cc " + new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    @Override
    public void close() throws IOException {
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
        Files.delete(folder);
    }
}
