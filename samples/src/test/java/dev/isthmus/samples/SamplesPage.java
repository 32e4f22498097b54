// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The commands that docs/samples.md shows, with what they print. */
final class SamplesPage {

    /** An address and port, which differ each time. */
    private static final String PEER = "/[0-9.]+:[0-9]+";

    /** What a user types, and what is printed. */
    record Command(String sample, List<String> arguments, List<String> output) {

        /** The arguments, with the first ones replaced. */
        String[] with(String... first) {
            var all = new ArrayList<>(List.of(first));
            all.addAll(arguments.subList(first.length, arguments.size()));
            return all.toArray(String[]::new);
        }
    }

    private SamplesPage() {}

    /** The commands that run a sample, in the page's order. */
    static List<Command> commands(String sample) throws IOException {
        var commands = new ArrayList<Command>();
        for (String block : Documents.blocks("docs/samples.md", "text")) {
            for (String line : block.lines().toList()) {
                if (line.startsWith("$ ")) {
                    List<String> words = List.of(line.substring(2).split(" "));
                    commands.add(new Command(words.getFirst(), words.subList(1, words.size()), new ArrayList<>()));
                } else {
                    commands.getLast().output().add(line);
                }
            }
        }
        List<Command> those =
                commands.stream().filter(each -> each.sample().equals(sample)).toList();
        assertFalse(those.isEmpty(), "the page does not show " + sample);
        return those;
    }

    static Command command(String sample) throws IOException {
        return commands(sample).getFirst();
    }

    /** Samples that run at the same time print what the page says, in any order; addresses and ports may differ. */
    static void assertPrint(List<String> printed, String... samples) throws IOException {
        var expected = new ArrayList<String>();
        for (String sample : samples) {
            commands(sample).forEach(command -> expected.addAll(command.output()));
        }
        assertEquals(fixed(expected), fixed(printed));
    }

    private static List<String> fixed(List<String> lines) {
        return lines.stream()
                .map(line -> line.replaceAll(PEER, "PEER"))
                .sorted()
                .toList();
    }
}
