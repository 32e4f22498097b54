package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Holds what a document shows against the sample that it is from. */
final class Documents {

    private Documents() {}

    /** The document must have the lines of the sample from one comment line to the next, with their indentation cut. */
    static void assertShows(String document, Class<?> sample, String begin, String end) throws IOException {
        Path home = home();
        Path source = home.resolve("samples/src/main/java/dev/isthmus/samples/" + sample.getSimpleName() + ".java");
        String shown = shown(Files.readAllLines(source), "// " + begin, "// " + end);
        assertFalse(shown.isBlank());
        assertTrue(
                Files.readString(home.resolve(document)).contains(shown),
                document + " does not have this part of " + source + ":\n" + shown);
    }

    private static String shown(List<String> lines, String begin, String end) {
        List<String> stripped = lines.stream().map(String::strip).toList();
        int from = stripped.indexOf(begin);
        assertTrue(from >= 0, "no line " + begin);
        int length = stripped.subList(from, lines.size()).indexOf(end);
        int indentation = lines.get(from).indexOf(begin);
        return lines.subList(from + 1, from + length).stream()
                .map(line -> line.substring(Math.min(indentation, line.length())))
                .collect(Collectors.joining("\n"));
    }

    /** The checkout, from Maven's folder or the launcher's property. */
    private static Path home() {
        String home = System.getProperty("isthmus.home");
        return home == null ? Path.of("..").toAbsolutePath().normalize() : Path.of(home);
    }
}
