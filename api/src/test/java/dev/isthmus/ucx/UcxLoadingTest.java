// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Only {@link dev.isthmus.internal.ucx.UcxLibrary} loads UCX, and it keeps UCX from the JVM's signals. Without that, a
 * SIGSEGV of the JVM's own, such as a poll for a safepoint, would end the process.
 */
@Tag("ucx")
@Tag("host")
class UcxLoadingTest {

    @Test
    void shouldNotLoadUcxForItsConstants() {
        ChildJvm.Result result =
                new ChildJvm().options("--enable-native-access=ALL-UNNAMED").run(Child.class);
        assertEquals(0, result.status(), result.output());
        assertEquals("", result.output());
    }

    /** Uses each enum, and prints which parts of UCX are in the process then. */
    static final class Child {

        private Child() {}

        public static void main(String[] args) throws Exception {
            for (Class<?> type : enums()) {
                type.getMethod("values").invoke(null);
            }
            try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
                maps.filter(line -> line.contains("libuc")).forEach(System.out::println);
            }
        }

        private static List<Class<?>> enums() throws IOException, ClassNotFoundException {
            Path classes = Path.of(UcpWorker.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath())
                    .resolve("dev/isthmus/ucx");
            List<Class<?>> found = new ArrayList<>();
            try (Stream<Path> files = Files.list(classes)) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString().replaceFirst("\\.class$", "");
                    Class<?> type = Class.forName("dev.isthmus.ucx." + name, false, UcpWorker.class.getClassLoader());
                    if (type.isEnum() && Modifier.isPublic(type.getModifiers())) {
                        found.add(type);
                    }
                }
            }
            if (found.size() < 5) {
                throw new AssertionError("these are not all: " + found);
            }
            return found;
        }
    }
}
