package dev.isthmus.perf.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The same loops in C: {@code datapath.c}, compiled with {@code cc -O2} and run as a process that times what it is told, a
 * line at a time, and ends when its input does.
 */
final class CDataPath implements AutoCloseable {

    private static final String SOURCE = "datapath.c";

    private final Path folder;
    private final Process process;
    private final Writer commands;
    private final BufferedReader answers;

    CDataPath(List<String> place) throws IOException, InterruptedException {
        folder = Files.createTempDirectory("isthmus-datapath-");
        try {
            process = start(place);
        } catch (IOException | InterruptedException e) {
            deleteFiles();
            throw e;
        }
        commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private Process start(List<String> place) throws IOException, InterruptedException {
        Path source = folder.resolve(SOURCE);
        Path program = folder.resolve("datapath");
        try (InputStream text = CDataPath.class.getResourceAsStream(SOURCE)) {
            Files.copy(text, source);
        }
        String[] compile = {
            "cc", "-std=gnu11", "-Wall", "-O2", "-pthread", "-o", program.toString(), source.toString(), "-libverbs"
        };
        int status = start(compile).waitFor();
        if (status != 0) {
            throw new IOException("cc ended with " + status + "; the comparison is compiled here, with the headers of"
                    + " libibverbs (Debian: libibverbs-dev)");
        }
        return start(
                Stream.concat(Stream.of(program.toString()), place.stream()).toArray(String[]::new));
    }

    private static Process start(String... command) throws IOException {
        try {
            return new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new IOException(
                    "cannot run " + command[0] + ": the comparison is compiled here, so install gcc, libc6-dev and"
                            + " libibverbs-dev",
                    e);
        }
    }

    /** Runs batches; the nanoseconds that their operations took. */
    long run(DataPathOperation operation, int batches) throws IOException {
        commands.write(operation.command(batches) + "\n");
        commands.flush();
        String nanos = answers.readLine();
        if (nanos == null) {
            throw new IOException("the C program has ended; what it said stands above");
        }
        return Long.parseLong(nanos);
    }

    private void deleteFiles() throws IOException {
        Files.deleteIfExists(folder.resolve("datapath"));
        Files.deleteIfExists(folder.resolve(SOURCE));
        Files.delete(folder);
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        deleteFiles();
    }
}
