// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.programs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts somebody else's program on a class path of its own, as docs/how-to/programs.md says. */
record OverRdma(String module, List<String> options) {

    private static final List<String> FLAGS = List.of(
            "-Djava.nio.channels.spi.SelectorProvider=dev.isthmus.nio.RdmaSelectorProvider",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED");

    private static final Path HOME = Path.of(System.getProperty("isthmus.home", ".."));

    /**
     * Prepares a start.
     *
     * @param module the folder under programs/ whose class path it is
     * @param options what the JVM needs besides the flags; the page names it, too
     */
    static OverRdma of(String module, String... options) throws IOException {
        String page = Files.readString(HOME.resolve("docs/how-to/programs.md"));
        FLAGS.forEach(flag -> assertTrue(page.contains(flag), "the page does not name " + flag));
        for (String option : options) {
            assertTrue(page.contains(option), "the page does not name " + option);
        }
        return new OverRdma(module, List.of(options));
    }

    /** Starts a class with a main method. */
    ChildProgram start(String main, String... arguments) throws IOException {
        Path target = HOME.resolve("programs").resolve(module).resolve("target");
        String classes = Stream.of("programs/" + module, "nio", "api", "bindings/ibverbs", "bindings/ucx", "testbed")
                .map(each -> HOME.resolve(each).resolve("target/classes") + ":")
                .collect(Collectors.joining());
        return new ChildProgram(new ChildJvm()
                .options(FLAGS.toArray(String[]::new))
                .options(options.toArray(String[]::new))
                .classPath(classes + Files.readString(target.resolve("test.classpath")))
                .command(main, arguments));
    }
}
