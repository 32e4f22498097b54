// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
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

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private static final String STYLE = "body{font:15px/1.5 sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
            + "pre{background:#8881;padding:.7rem;overflow-x:auto;font-size:13px;line-height:1.35}"
            + "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8bf}}";

    Report(Instant begin, List<Section> sections, Scrubber scrubber) {
        this(begin, sections.stream().map(section -> clean(section, scrubber)).toList());
    }

    private static Section clean(Section section, Scrubber scrubber) {
        return new Section(
                section.name(),
                section.title(),
                scrubber.clean(section.command()),
                section.status(),
                section.seconds(),
                scrubber.clean(section.text()),
                section.data() == null ? null : scrubber.clean(section.data()));
    }

    /** Whether every command succeeded. */
    boolean isWell() {
        return sections.stream().allMatch(section -> section.status() == 0);
    }

    /** Writes it as JSON, and as a page with the same content. */
    void write(Path name) throws IOException {
        String stem = name.getFileName().toString();
        WholeFile.write(name.resolveSibling(stem + ".json"), JSON.writeValueAsBytes(new Content(1, date(), sections)));
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
        var html = new Html()
                .raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                        + "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Isthmus report</title>\n<style>"
                        + STYLE + "</style></head><body>\n")
                .element("h1", "Isthmus report")
                .element(
                        "p",
                        "Made by isthmus report at " + date() + ". This page has everything that is in the JSON file.");
        for (Section section : sections) {
            html.element("h2", section.title())
                    .element(
                            "p",
                            section.command() + ": exit status " + section.status() + ", " + section.seconds() + " s");
            if (!section.text().isBlank()) {
                html.element("pre", section.text());
            }
            if (section.data() != null) {
                html.raw("<details><summary>as JSON</summary>\n")
                        .element("pre", JSON.writeValueAsString(section.data()))
                        .raw("</details>\n");
            }
        }
        return html.raw("</body></html>\n").toString();
    }
}
