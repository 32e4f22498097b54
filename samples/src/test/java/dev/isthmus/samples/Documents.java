// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Compares what a document shows with the sample that it is from. */
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

    /** The text of a file of the checkout. */
    static String text(String file) throws IOException {
        return Files.readString(home().resolve(file));
    }

    /** The fenced blocks of a document that are in a language, in order. */
    static List<String> blocks(String document, String language) throws IOException {
        return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(text(document))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    /** The documents that are written for readers, from the checkout's folder. */
    static List<String> all() throws IOException {
        try (Stream<Path> files = Files.walk(home().resolve("docs"))) {
            return Stream.concat(Stream.of(home().resolve("README.md")), files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .map(file -> home().relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    /** The Javadoc of the packages under verbs, from the checkout's folder. */
    static List<String> rooms() throws IOException {
        try (Stream<Path> files = Files.walk(home().resolve("api/src/main/java/dev/isthmus/verbs"), 2)) {
            return files.filter(file -> file.endsWith("package-info.java"))
                    .map(file -> home().relativize(file).toString())
                    .filter(file -> !file.endsWith("/verbs/package-info.java"))
                    .sorted()
                    .toList();
        }
    }

    /** The names of the samples, which are the classes with a main method. */
    static List<String> samples() throws IOException {
        var names = new ArrayList<String>();
        try (Stream<Path> files = Files.list(home().resolve("samples/src/main/java/dev/isthmus/samples"))) {
            for (Path file : files.sorted().toList()) {
                if (Files.readString(file).contains("static void main(")) {
                    names.add(file.getFileName().toString().replace(".java", ""));
                }
            }
        }
        return names;
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
    static Path home() {
        String home = System.getProperty("isthmus.home");
        return home == null ? Path.of("..").toAbsolutePath().normalize() : Path.of(home);
    }
}
