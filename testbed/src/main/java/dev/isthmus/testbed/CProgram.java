// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A C program that a test writes, compiles and runs, to compare Java with what C says. Its temporary folder is
 * deleted when it is closed.
 *
 * {@snippet :
 * try (var program = CProgram.compile("#include <stdio.h>\nint main(void) { puts(\"hello\"); }")) {
 *     program.run(); // [hello]
 * }
 * }
 *
 * <p>If there is no compiler, or the program does not compile, or fails, this throws an
 * {@link IllegalStateException} with what to install or what the compiler or program said.
 */
public final class CProgram implements AutoCloseable {

    /** The folder of the headers for the machine's own processor. */
    private static final Path INCLUDE = Path.of("/usr/include");

    private final Path folder;

    private CProgram(Path folder) {
        this.folder = folder;
    }

    /**
     * Compiles a program with the machine's own {@code cc}.
     *
     * @param source the C source
     * @param options more for the compiler's command line, such as {@code -libverbs}
     */
    public static CProgram compile(String source, String... options) {
        CProgram program = create(source);
        try {
            List<String> command = program.compiler("cc");
            command.addAll(List.of("-o", program.executable().toString()));
            command.addAll(List.of(options));
            program.execute(command);
            return program;
        } catch (RuntimeException e) {
            program.close();
            throw e;
        }
    }

    /**
     * Makes a compiler check a source that is not run, for static assertions.
     *
     * @param processor the processor to compile for, as Java's {@code os.arch} names it; a cross compiler is needed
     *     unless it is this machine's
     * @param source the C source
     * @param headers the folders of the machine's headers that the source includes and that are the same for all
     *     processors, such as {@code infiniband}; a cross compiler sees no others, since the machine's C library is for
     *     the wrong processor
     */
    public static void check(String processor, String source, String... headers) {
        try (CProgram program = create(source)) {
            boolean own = processor.equals(System.getProperty("os.arch"));
            List<String> command = program.compiler(own ? "cc" : crossCompiler(processor));
            command.add("-fsyntax-only");
            if (!own) {
                command.addAll(List.of("-I", program.linkHeaders(headers).toString()));
            }
            program.execute(command);
        }
    }

    /**
     * What the preprocessor makes of a source, without line markers: what a header declares on this machine.
     *
     * @param source the C source
     */
    public static String preprocess(String source) {
        try (CProgram program = create(source)) {
            List<String> command = program.compiler("cc");
            command.addAll(List.of("-E", "-P"));
            return String.join("\n", program.execute(command));
        }
    }

    /**
     * Runs the program to its end.
     *
     * @return the lines that it printed
     */
    public List<String> run(String... arguments) {
        List<String> command = new ArrayList<>(List.of(executable().toString()));
        command.addAll(List.of(arguments));
        return execute(command);
    }

    /** The compiled program, for a test that starts it itself. It is gone when this object is closed. */
    public Path executable() {
        return folder.resolve("program");
    }

    /** Deletes the program. */
    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CProgram create(String source) {
        try {
            CProgram program = new CProgram(Files.createTempDirectory("isthmus-c-"));
            Files.writeString(program.source(), source);
            return program;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path source() {
        return folder.resolve("program.c");
    }

    private List<String> compiler(String compiler) {
        // The libraries' options come after the source, as linkers want it.
        return new ArrayList<>(List.of(compiler, "-std=gnu11", "-D_GNU_SOURCE", "-Wall", source().toString()));
    }

    private static String crossCompiler(String processor) {
        return (processor.equals("amd64") ? "x86_64" : processor) + "-linux-gnu-gcc";
    }

    private Path linkHeaders(String... headers) {
        try {
            Path links = Files.createDirectory(folder.resolve("include"));
            for (String header : headers) {
                Files.createSymbolicLink(links.resolve(header), INCLUDE.resolve(header));
            }
            return links;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // The output goes to files: pipes that nobody reads can fill up and stop the program.
    private List<String> execute(List<String> command) {
        Path output = folder.resolve("output");
        Path errors = folder.resolve("errors");
        try {
            Process process = start(
                    new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile()));
            boolean ended = process.waitFor(ChildProgram.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            process.destroyForcibly();
            if (!ended || process.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command)
                        + (ended ? " ended with " + process.exitValue() : " has not ended") + ":\n"
                        + Files.readString(errors));
            }
            return Files.readAllLines(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + command.getFirst(), e);
        }
    }

    private static Process start(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            String program = builder.command().getFirst();
            throw new IllegalStateException(
                    "cannot run " + program + ": install "
                            + (program.equals("cc")
                                    ? "gcc and libc6-dev"
                                    : "the cross compiler for it (Debian: gcc-aarch64-linux-gnu and libc6-dev-arm64-cross,"
                                            + " or those of x86-64)"),
                    e);
        }
    }
}
