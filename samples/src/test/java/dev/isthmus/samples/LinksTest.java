// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every link of a document to a file of the checkout leads somewhere, and every page has a link to it. */
@Tag("unit")
class LinksTest {

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("^```.*?^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{N}_ -]");

    /** The file, and the heading in it, or "". */
    private record Target(Path file, String anchor) {}

    private static List<Path> documents() throws IOException {
        Path home = Documents.home();
        try (Stream<Path> top = Files.list(home);
                Stream<Path> below = Stream.of("docs", "testbed", "bindings").flatMap(LinksTest::walk)) {
            return Stream.concat(top, below)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static Stream<Path> walk(String folder) {
        try (Stream<Path> files = Files.walk(Documents.home().resolve(folder), 3)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String prose(Path document) throws IOException {
        return CODE.matcher(Files.readString(document)).replaceAll("");
    }

    private static List<Target> targets(Path document) throws IOException {
        var targets = new ArrayList<Target>();
        for (String link :
                LINK.matcher(prose(document)).results().map(l -> l.group(1)).toList()) {
            if (link.contains("://")) {
                continue;
            }
            int hash = link.indexOf('#');
            String file = hash < 0 ? link : link.substring(0, hash);
            targets.add(new Target(
                    file.isEmpty() ? document : document.resolveSibling(file).normalize(),
                    hash < 0 ? "" : link.substring(hash + 1)));
        }
        return targets;
    }

    /** The anchors that forges make from headings. */
    private static Set<String> anchors(Path document) throws IOException {
        return HEADING.matcher(prose(document))
                .results()
                .map(heading -> NOT_IN_ANCHORS
                        .matcher(heading.group(1).toLowerCase(Locale.ROOT))
                        .replaceAll("")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static boolean leadsNowhere(Target target) throws IOException {
        if (!Files.exists(target.file())) {
            return true;
        }
        return !target.anchor().isEmpty() && !anchors(target.file()).contains(target.anchor());
    }

    @Test
    void shouldLeadSomewhere() throws IOException {
        var broken = new ArrayList<String>();
        int links = 0;
        for (Path document : documents()) {
            for (Target target : targets(document)) {
                links++;
                if (leadsNowhere(target)) {
                    broken.add(document + ": " + target);
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(links > 50, links + " links: are they found?");
    }

    @Test
    void shouldLeadToEveryPage() throws IOException {
        var reached = new HashSet<Path>();
        for (Path document : documents()) {
            targets(document).forEach(target -> reached.add(target.file()));
        }
        List<Path> lonely = documents().stream()
                .filter(document -> document.startsWith(Documents.home().resolve("docs")))
                .filter(document -> !reached.contains(document))
                .toList();
        assertEquals(List.of(), lonely);
    }
}
