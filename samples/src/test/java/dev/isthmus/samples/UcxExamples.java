// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.testbed.CProgram;
import dev.isthmus.testbed.OtherProcessor;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An example program of UCX, compiled from the source that Debian's libucx-dev ships, and run as a sample's peer. */
final class UcxExamples implements AutoCloseable {

    static final long LIMIT_SECONDS = TestDeadlines.seconds(120);

    private static final Path SOURCES = Path.of("/usr/share/doc/libucx-dev/examples");

    private final CProgram program;
    private final Path output;
    private Process process;

    /** Runs a program that {@link #compile} made. */
    UcxExamples(CProgram program) throws IOException {
        this.program = program;
        this.output = Files.createTempFile("isthmus", ".out");
    }

    static CProgram compile(String name) {
        Path source = SOURCES.resolve(name + ".c");
        return CProgram.compile("#include \"" + source + "\"", "-I" + SOURCES, "-lucp", "-lucs");
    }

    /** The transports to test on, as the tests of the library take them. */
    static Stream<String> transports() {
        String chosen = System.getenv("ISTHMUS_UCX_TLS");
        return Stream.of((chosen == null || chosen.isEmpty() ? "posix,self;tcp,self" : chosen).split(";", -1));
    }

    /** Where servers listen: the first device's address in the testbed, otherwise the loopback's. */
    static InetAddress address() throws IOException {
        String addresses = System.getenv("ISTHMUS_ADDRESSES");
        boolean overDevices = System.getenv("UCX_NET_DEVICES") != null && addresses != null;
        return InetAddress.getByName(overDevices ? addresses.split(" ", -1)[0] : "127.0.0.1");
    }

    void start(String tls, String... arguments) throws IOException {
        var command = new ArrayList<>(
                List.of("stdbuf", "-oL", program.executable().toString())); // each line when it is printed
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(OtherProcessor.of(command))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("UCX_TLS", tls);
        process = builder.start();
    }

    /** Its output so far. */
    String output() throws IOException {
        return Files.readString(output);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for its end; returns what it printed, or fails with that. */
    String end() throws Exception {
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!ended || process.exitValue() != 0) {
            throw new AssertionError((ended ? "ended with " + process.exitValue() : "did not end") + ": " + output());
        }
        return output();
    }

    /** Waits for its end, which may be a fault of UCX, recognised by what is printed then. */
    void end(String fault) throws Exception {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || !output().contains(fault)) {
            end();
        }
    }

    /** Waits until it has printed something. */
    void await(String text) throws Exception {
        long begin = System.nanoTime();
        while (!output().contains(text)) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
            if (seconds > LIMIT_SECONDS || !isAlive()) {
                throw new AssertionError("did not print \"" + text + "\": " + output());
            }
            Thread.sleep(20); // nothing announces that a file grew
        }
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.destroyForcibly();
        }
        Files.delete(output);
    }
}
