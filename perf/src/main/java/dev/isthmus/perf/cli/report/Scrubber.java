// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes everything from a text that identifies the machine: its name and domain, the user's name and folder, IP and
 * Ethernet addresses, GUIDs and GIDs, and serial numbers. Where it cannot know, it removes: what looks like an address
 * stays only where its surroundings say that it is a version or a mask.
 */
final class Scrubber {

    /** In place of a host's name. */
    private static final String HOST = "[host]";

    private static final String QUAD = "\\d{1,3}(?:\\.\\d{1,3}){3}";
    private static final String HEX = "[0-9a-fA-F]";
    private static final String GROUP = "(?:" + HEX + "{1,4}:)";
    private static final String LAST = "(?:" + QUAD + "|" + HEX + "{1,4})";

    /** IPv6 addresses; GUIDs, GIDs and Ethernet addresses in groups, which may be decimal. A time has three groups. */
    private static final Pattern GROUPS = Pattern.compile("(?<![0-9a-zA-Z])(?:" + GROUP + "+:(?:" + GROUP + "*" + LAST
            + ")?|::" + GROUP + "*" + LAST + "|" + GROUP + "{3,}" + LAST + ")(?![0-9a-zA-Z])");

    /** GUIDs and GIDs without groups, but not masks; and those and Ethernet addresses in a device's name. */
    private static final Pattern DIGITS =
            Pattern.compile("(?<!(?:size|cap|flags|mask)\\w{0,3}:\\s{0,9})\\b(?:0x|(?=\\d*[a-fA-F]))(?:" + HEX
                    + "{16}){1,2}\\b|(?<=\\b(?:enx|rocex|ibx|iwx))" + HEX + "{9,16}\\b");

    /** IPv4 addresses. Not: libibverbs 1.14.44.0, libibverbs.so.1.14.44.0, fw_ver: 228.0.109.0, v1.2.3.4, 25.0.2.1+1. */
    private static final Pattern IPV4 = Pattern.compile(
            "(?<!\\d|\\d\\.|\\.so\\.|\\bv|\\blib[a-z]{1,20} |fw_ver:\\s{0,9})" + QUAD + "(?!\\d|\\.\\d|\\+)");

    private static final Pattern SERIAL =
            Pattern.compile("((?:serial|board_id|node_desc)[^:=\\n]*[:=]\\s*)(\\S.*)", Pattern.CASE_INSENSITIVE);

    private final Map<Pattern, String> own = new LinkedHashMap<>();

    /**
     * For a machine.
     *
     * @param names what to remove, each with its replacement
     */
    Scrubber(Map<String, String> names) {
        names.entrySet().stream()
                .filter(entry -> entry.getKey() != null
                        && entry.getKey().length() > 1) // a single letter would be removed everywhere
                // A folder goes before the user's name in it.
                .sorted(Comparator.comparingInt(entry -> -entry.getKey().length()))
                .forEach(entry -> own.put(pattern(entry.getKey(), entry.getValue()), entry.getValue()));
    }

    /** A name, which our packages' names may begin with; a host's with its domain. */
    private static Pattern pattern(String name, String replacement) {
        String domain = replacement.equals(HOST) ? "(?:\\.[a-z0-9-]+(?![\\w-]))*" : "";
        return Pattern.compile(
                "(?<![\\w.-])" + Pattern.quote(name) + "(?![\\w-]|\\.isthmus\\b)" + domain, Pattern.CASE_INSENSITIVE);
    }

    /** For this machine: names that identify it or its owner, each with its replacement. */
    static Scrubber ofThisMachine() throws IOException {
        Map<String, String> names = new LinkedHashMap<>();
        names.put(System.getProperty("user.home"), "~");
        names.put(Path.of("").toAbsolutePath().toString(), ".");
        names.put(System.getProperty("isthmus.home"), "[isthmus]");
        String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        names.put(host.replaceFirst("\\..*", ""), HOST); // without a domain: others write it without, too
        String user = System.getProperty("user.name");
        if (!user.equals("root")) { // not a person's name, and a word of many messages
            names.put(user, "[user]");
        }
        return new Scrubber(names);
    }

    /** The cleaned text. */
    String clean(String text) {
        String clean = text;
        for (var entry : own.entrySet()) {
            clean = entry.getKey().matcher(clean).replaceAll(Matcher.quoteReplacement(entry.getValue()));
        }
        clean = SERIAL.matcher(clean).replaceAll("$1[left out]");
        for (Pattern addresses : List.of(GROUPS, DIGITS, IPV4)) {
            clean = addresses.matcher(clean).replaceAll("[address]");
        }
        return clean;
    }

    /** The tree with all of its texts cleaned. */
    JsonNode clean(JsonNode node) {
        if (node instanceof TextNode text) {
            return TextNode.valueOf(clean(text.textValue()));
        }
        if (node instanceof ObjectNode object) {
            object.properties().forEach(entry -> entry.setValue(clean(entry.getValue())));
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, clean(array.get(i)));
            }
        }
        return node;
    }
}
