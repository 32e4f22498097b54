// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.isthmus.perf.common.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * All results, without anything that identifies the machine.
 *
 * @param begin when it began
 * @param sections the output of the commands
 */
record Report(Instant begin, List<Section> sections) {

    /**
     * The output of one command.
     *
     * @param name a word
     * @param command what was run
     * @param status the exit status
     * @param text what it printed
     * @param data what it wrote as JSON; null if it did not
     */
    record Section(
            String name,
            String title,
            String command,
            int status,
            double seconds,
            String text,
            @JsonInclude(JsonInclude.Include.NON_NULL) JsonNode data) {

        private Section cleaned(Scrubber scrubber) {
            return new Section(
                    name,
                    title,
                    scrubber.clean(command),
                    status,
                    seconds,
                    scrubber.clean(text),
                    data == null ? null : scrubber.clean(data));
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private static final String HEAD = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Isthmus report</title>
            <style>body{font:15px/1.5 sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\
            pre{background:#8881;padding:.7rem;overflow-x:auto;font-size:13px;line-height:1.35}\
            @media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8bf}}</style></head><body>
            """;

    Report(Instant begin, List<Section> sections, Scrubber scrubber) {
        this(begin, sections.stream().map(section -> section.cleaned(scrubber)).toList());
    }

    /** Whether every command succeeded. */
    boolean isWell() {
        return sections.stream().allMatch(section -> section.status() == 0);
    }

    /** Writes it as JSON, and as a page with the same content. */
    void write(Path name) throws IOException {
        String stem = name.getFileName().toString();
        WholeFile.writeJson(name.resolveSibling(stem + ".json"), new Content(1, date(), sections));
        WholeFile.write(name.resolveSibling(stem + ".html"), page().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * What the JSON file has.
     *
     * @param report the format's version
     */
    record Content(int report, String date, List<Section> sections) {}

    private String date() {
        return begin.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private String page() throws JsonProcessingException {
        var page = new StringBuilder(HEAD)
                .append(element("h1", "Isthmus report"))
                .append(element(
                        "p",
                        "Made by isthmus report at " + date()
                                + ". This page has everything that is in the JSON file."));
        for (Section section : sections) {
            page.append(element("h2", section.title()))
                    .append(element(
                            "p",
                            section.command() + ": exit status " + section.status() + ", " + section.seconds() + " s"));
            if (!section.text().isBlank()) {
                page.append(element("pre", section.text()));
            }
            if (section.data() != null) {
                page.append("<details><summary>as JSON</summary>\n")
                        .append(element("pre", JSON.writeValueAsString(section.data())))
                        .append("</details>\n");
            }
        }
        return page.append("</body></html>\n").toString();
    }

    private static String element(String tag, String text) {
        var out = new StringBuilder("<" + tag + ">");
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.appendCodePoint(isText(c) ? c : 0xFFFD);
            }
        });
        return out.append("</" + tag + ">\n").toString();
    }

    /** Control characters and unpaired surrogates are left out of a page. */
    private static boolean isText(int c) {
        boolean control = c < ' ' && c != '\n' && c != '\t';
        return !control && c != 0x7F && Character.getType(c) != Character.SURROGATE;
    }
}
