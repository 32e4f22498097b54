// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fenced block of Java in a document, with the comment that stands on the line before it: {@code <!-- snippet: KIND
 * [NAME]... -->}. The kinds: {@code sample NAME}, which is shown from that sample and runs there; {@code device} and {@code
 * ucx}, which runs as it stands in that tier; {@code rc}, which runs in the device tier between two connected queue pairs;
 * {@code class}, which is compiled, and run by a test of its own; {@code mpi}, which runs in the tier mpi on two ranks, with the
 * names {@code mpi}, {@code world} and {@code arena} given.
 *
 * @param document where it is
 * @param number of the block in its document, from 1
 * @param kind what the comment says first
 * @param name what it says then, or an empty string
 * @param code the block
 */
record Snippet(String document, int number, String kind, String name, String code) {

    private static final Pattern BLOCK = Pattern.compile(
            "(?:^<!-- snippet: (\\w+) ?(\\w*) -->\n)?^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern JAVADOC =
            Pattern.compile("<pre>\\{@code\n(.*?)^\\}</pre>", Pattern.MULTILINE | Pattern.DOTALL);

    /** All of a document. */
    static List<Snippet> of(String document) throws IOException {
        var snippets = new ArrayList<Snippet>();
        Matcher blocks = BLOCK.matcher(Documents.text(document));
        while (blocks.find()) {
            String kind = blocks.group(1) == null ? "" : blocks.group(1);
            String name = blocks.group(2) == null ? "" : blocks.group(2);
            snippets.add(new Snippet(document, snippets.size() + 1, kind, name, blocks.group(3)));
        }
        return snippets;
    }

    /** Those in the Javadoc of the packages under verbs, each of which stands alone. */
    static List<Snippet> ofRooms() throws IOException {
        var snippets = new ArrayList<Snippet>();
        for (String source : Documents.rooms()) {
            Matcher blocks = JAVADOC.matcher(Documents.text(source).replaceAll("(?m)^ \\* ?", ""));
            for (int number = 1; blocks.find(); number++) {
                snippets.add(new Snippet(source, number, "device", "", blocks.group(1)));
            }
        }
        return snippets;
    }

    /** All of all documents. */
    static List<Snippet> all() throws IOException {
        var snippets = new ArrayList<Snippet>();
        for (String document : Documents.all()) {
            snippets.addAll(of(document));
        }
        return snippets;
    }

    /** The name of the class that it becomes. */
    String className() {
        return kind.equals("class") ? name : document.replaceAll("\\W", "_") + "_" + number;
    }

    @Override
    public String toString() {
        return document + ", block " + number;
    }
}
