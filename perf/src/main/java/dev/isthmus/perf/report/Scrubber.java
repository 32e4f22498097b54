// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes everything from a text that identifies the machine: its name, the user's name and folder, IP and Ethernet
 * addresses, GUIDs and GIDs, and serial numbers. A version such as 1.14.44.0 looks like an IPv4 address. So the machine's
 * own addresses are removed everywhere, others where they have a port or a prefix length, or are in an IPv6 address.
 */
final class Scrubber {

    private static final String HEX = "[0-9a-fA-F]";

    /** GUIDs in groups of four, GIDs, IPv6 addresses and Ethernet addresses. */
    private static final Pattern GROUPS =
            Pattern.compile("(?<![0-9a-fA-F:.])(?:" + HEX + "{2}(?::" + HEX + "{2}){5,19}|(?:" + HEX + "{0,4}:){3,7}"
                    + HEX + "{1,4}" + "|(?:" + HEX + "{0,4}:){2,6}:" + HEX + "{1,4})(?![0-9a-fA-F:])");

    /** IPv4 addresses that are no versions. */
    private static final Pattern IPV4 = Pattern.compile(
            "(?<=::ffff:)\\d{1,3}(?:\\.\\d{1,3}){3}|(?<![\\w.-])\\d{1,3}(?:\\.\\d{1,3}){3}(?=[:/]\\d)",
            Pattern.CASE_INSENSITIVE);

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
                .forEach(entry -> own.put(
                        Pattern.compile("(?<![\\w.-])" + Pattern.quote(entry.getKey()) + "(?![\\w-])"),
                        entry.getValue()));
    }

    /** The cleaned text. */
    String clean(String text) {
        String clean = text;
        for (var entry : own.entrySet()) {
            clean = entry.getKey().matcher(clean).replaceAll(Matcher.quoteReplacement(entry.getValue()));
        }
        clean = IPV4.matcher(clean).replaceAll("[address]");
        clean = SERIAL.matcher(clean).replaceAll("$1[left out]");
        return GROUPS.matcher(clean).replaceAll("[address]");
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
