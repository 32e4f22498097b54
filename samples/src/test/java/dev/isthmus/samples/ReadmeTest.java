package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The README shows the samples as they are, so what a reader pastes compiles and runs. */
@Tag("unit")
class ReadmeTest {

    @ParameterizedTest
    @ValueSource(classes = {HelloVerbs.class, HelloUcx.class})
    void shouldShowTheSampleAsItIs(Class<?> sample) throws IOException {
        Path home = home();
        Path source = home.resolve("samples/src/main/java/dev/isthmus/samples/" + sample.getSimpleName() + ".java");
        String shown = shown(Files.readAllLines(source));
        assertFalse(shown.isBlank());
        assertTrue(
                Files.readString(home.resolve("README.md")).contains(shown),
                "README.md does not have this part of " + source + ":\n" + shown);
    }

    private static String shown(List<String> lines) {
        int begin = lines.indexOf("        // README: begin");
        int end = lines.indexOf("        // README: end");
        return lines.subList(begin + 1, end).stream()
                .map(line -> line.substring(Math.min(8, line.length())))
                .collect(Collectors.joining("\n"));
    }

    /** The checkout, from Maven's folder or the launcher's property. */
    private static Path home() {
        String home = System.getProperty("isthmus.home");
        return home == null ? Path.of("..").toAbsolutePath().normalize() : Path.of(home);
    }
}
