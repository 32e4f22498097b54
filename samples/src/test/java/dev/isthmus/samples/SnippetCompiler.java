// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Makes classes of snippets, and runs them. */
final class SnippetCompiler {

    private static final String IMPORTS = """
            import dev.isthmus.*;
            import dev.isthmus.buffers.*;
            import dev.isthmus.cm.*;
            import dev.isthmus.nio.*;
            import dev.isthmus.ucx.*;
            import dev.isthmus.verbs.*;
            import dev.isthmus.verbs.attributes.*;
            import dev.isthmus.verbs.cqex.*;
            import dev.isthmus.verbs.devicememory.*;
            import dev.isthmus.verbs.exchange.*;
            import dev.isthmus.verbs.flow.*;
            import dev.isthmus.verbs.rss.*;
            import dev.isthmus.verbs.tags.*;
            import dev.isthmus.verbs.xrc.*;
            import java.lang.foreign.*;
            import java.net.*;
            import java.nio.*;
            import java.nio.channels.FileChannel;
            import java.nio.channels.ServerSocketChannel;
            import java.nio.channels.SocketChannel;
            import java.nio.file.*;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import dev.isthmus.verbs.flow.Flow;
            import static java.nio.charset.StandardCharsets.UTF_8;
            """;

    /** The surroundings of a snippet of the kind "rc": two connected queue pairs, and memory that both may access. */
    private static final String PAIR = """
            try (var arena = Arena.ofConfined();
                    var device = Device.first().open();
                    var pd = device.allocateProtectionDomain();
                    var cq = device.createCompletionQueue(64);
                    var a = pd.createQueuePair(QueuePairType.RC, cq, cq);
                    var b = pd.createQueuePair(QueuePairType.RC, cq, cq);
                    var region = pd.register(arena.allocate(4096), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)) {
                var gid = device.defaultGid(1);
                a.connect(gid, b.address(gid));
                b.connect(gid, a.address(gid));
                var done = WorkCompletions.allocate(16);
                SNIPPET
            }
            """;

    private static final String MPI_IMPORTS = """
            import dev.isthmus.mpi.*;
            import java.lang.foreign.*;
            import static java.lang.foreign.ValueLayout.*;
            """;

    /** The surroundings of a snippet of the kind "mpi". */
    private static final String RANK = """
            public static void main(String[] args) {
                Mpi.run(mpi -> {
                    var world = mpi.world();
                    try (var arena = GuardedArena.ofConfined()) {
                        SNIPPET
                    }
                });
            }
            """;

    private final Path folder;

    SnippetCompiler(Path folder) {
        this.folder = folder;
    }

    private static String source(Snippet snippet) {
        if (snippet.kind().equals("class")) {
            return snippet.code();
        }
        if (snippet.kind().equals("mpi")) {
            return MPI_IMPORTS + "public class " + snippet.className() + " {\n"
                    + RANK.replace("SNIPPET", snippet.code()) + "}\n";
        }
        String code = snippet.kind().equals("rc") ? PAIR.replace("SNIPPET", snippet.code()) : snippet.code();
        return IMPORTS + "public class " + snippet.className() + " {\n public static void run() throws Exception {\n"
                + code + "\n}\n}\n";
    }

    /** Compiles all of them at once, because a compiler takes long to start. */
    void compile(List<Snippet> snippets) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var said = new StringWriter();
        List<? extends JavaFileObject> sources = snippets.stream()
                .map(snippet -> new Source(snippet.className(), source(snippet)))
                .toList();
        List<String> options =
                List.of("-d", folder.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
        assertTrue(
                compiler.getTask(said, null, null, options, null, sources).call(),
                () -> "the documents' snippets do not compile:\n" + said);
    }

    /** Runs a compiled snippet. */
    void run(Snippet snippet) throws Throwable {
        try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            MethodHandles.publicLookup()
                    .findStatic(loader.loadClass(snippet.className()), "run", MethodType.methodType(void.class))
                    .invoke();
        }
    }

    /** Runs the main method of a snippet that is a class. */
    void main(String name, String... arguments) throws Throwable {
        try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            MethodHandles.publicLookup()
                    .findStatic(loader.loadClass(name), "main", MethodType.methodType(void.class, String[].class))
                    .asFixedArity()
                    .invoke(arguments);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String code;

        Source(String name, String code) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) throws IOException {
            return code;
        }
    }
}
