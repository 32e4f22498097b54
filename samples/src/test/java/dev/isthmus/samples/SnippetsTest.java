// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.cm.Listener;
import dev.isthmus.testbed.MpiRun;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every block of Java in the documents compiles and runs, taken from the page itself. */
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS) // a compiler on emulated processors
class SnippetsTest {

    private static final Set<String> KINDS = Set.of("sample", "device", "rc", "ucx", "mpi", "class");
    private static final long WAIT_SECONDS = TestDeadlines.seconds(120);

    @TempDir
    private Path folder;

    private static List<Snippet> those(Predicate<Snippet> wanted) throws IOException {
        return Snippet.all().stream().filter(wanted).toList();
    }

    private void run(List<Snippet> snippets) throws Throwable {
        assertFalse(snippets.isEmpty());
        var compiler = new SnippetCompiler(folder);
        compiler.compile(snippets);
        for (Snippet snippet : snippets) {
            try {
                compiler.run(snippet);
            } catch (Throwable t) {
                throw new AssertionError(snippet + " failed", t);
            }
        }
    }

    @Test
    @Tag("unit")
    void shouldSayWhatBecomesOfThem() throws IOException {
        for (Snippet snippet : Snippet.all()) {
            assertTrue(KINDS.contains(snippet.kind()), snippet + " has no comment that says how it runs");
        }
    }

    @Test
    @Tag("unit")
    void shouldCompile() throws IOException {
        new SnippetCompiler(folder).compile(those(snippet -> !snippet.kind().equals("sample")));
    }

    @Test
    @Tag("unit")
    void shouldCompileInTheJavadocOfEachRoom() throws IOException {
        List<Snippet> snippets = Snippet.ofRooms();
        assertEquals(
                Set.copyOf(Documents.rooms()),
                snippets.stream().map(Snippet::document).collect(Collectors.toSet()));
        new SnippetCompiler(folder).compile(snippets);
    }

    @Test
    @Tag("unit")
    void shouldShowSamplesAsTheyAre() throws IOException {
        for (Snippet snippet : those(each -> each.kind().equals("sample"))) {
            String source = Documents.text("samples/src/main/java/dev/isthmus/samples/" + snippet.name() + ".java");
            assertTrue(flat(source).contains(flat(snippet.code())), snippet + " is not in " + snippet.name());
        }
    }

    @Test
    @Tag("unit")
    void shouldStandInTheJavadocOfThePackagesAsInReadme() throws IOException {
        List<Snippet> readme = Snippet.of("README.md");
        for (String kind : List.of("device", "ucx")) {
            Snippet first = readme.stream()
                    .filter(each -> each.kind().equals(kind))
                    .findFirst()
                    .orElseThrow();
            String source =
                    "api/src/main/java/dev/isthmus/" + (kind.equals("ucx") ? kind : "verbs") + "/package-info.java";
            String javadoc = Documents.text(source).replaceAll("(?m)^ \\* ?", "");
            assertTrue(flat(javadoc).contains(flat(first.code())), first + " is not in " + source);
        }
    }

    private static String flat(String code) {
        return code.replaceAll("\\s+", " ").strip();
    }

    @Test
    @Tag("device")
    void shouldRunOnADevice() throws Throwable {
        run(those(snippet -> snippet.kind().equals("device") || snippet.kind().equals("rc")));
    }

    @Test
    @Tag("ucx")
    void shouldRunOverUcx() throws Throwable {
        run(those(snippet -> snippet.kind().equals("ucx")));
    }

    @Test
    @Tag("mpi")
    void shouldRunOnTwoRanks() throws Exception {
        List<Snippet> snippets = those(snippet -> snippet.kind().equals("mpi"));
        assertFalse(snippets.isEmpty());
        new SnippetCompiler(folder).compile(snippets);
        for (Snippet snippet : snippets) {
            MpiRun.Result result = MpiRun.run(2, MpiRun.java(folder, snippet.className()));
            assertEquals(0, result.status(), snippet + " failed: " + result.output());
        }
    }

    @Test
    @Tag("device")
    void shouldRunThePairOfTheTutorial() throws Throwable {
        var compiler = new SnippetCompiler(folder);
        compiler.compile(Snippet.of("docs/tutorial.md"));
        String address = DeviceAddress.last().getHostAddress();
        String port = freePort(address);
        List<String> lines = Output.of(() -> {
            var server = new FutureTask<Void>(() -> main(compiler, "GreetingServer", address, port));
            Thread.ofPlatform().daemon().start(server);
            greet(compiler, address, port, server);
            server.get(WAIT_SECONDS, TimeUnit.SECONDS);
        });
        assertEquals(List.of("client: hello, client", "server: DISCONNECTED", "server: waiting"), sorted(lines));
    }

    @Test
    @Tag("device")
    void shouldRunThePairOfTheTutorialInOneJvm() throws Throwable {
        var compiler = new SnippetCompiler(folder);
        compiler.compile(Snippet.of("docs/tutorial.md"));
        String address = DeviceAddress.last().getHostAddress();
        List<String> lines = Output.of(() -> main(compiler, "GreetingBoth", address, freePort(address)));
        assertEquals(List.of("client: hello, client", "server: DISCONNECTED"), sorted(lines));
    }

    /** A port on which nobody listens, as the argument of the server's example. */
    private static String freePort(String address) {
        try (var listener = Listener.bind(new InetSocketAddress(address, 0))) {
            return Integer.toString(listener.localAddress().getPort());
        }
    }

    /** Tries until the server listens; a server that has ended never will. */
    private static void greet(SnippetCompiler compiler, String address, String port, Future<Void> server)
            throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (true) {
            try {
                main(compiler, "GreetingClient", address, port);
                return;
            } catch (CmException e) {
                if (server.isDone()) {
                    server.get();
                }
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(100); // nothing announces that it listens
            }
        }
    }

    private static List<String> sorted(List<String> lines) {
        return lines.stream().sorted().toList();
    }

    private static Void main(SnippetCompiler compiler, String name, String... arguments) throws Exception {
        try {
            compiler.main(name, arguments);
            return null;
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
