// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Names that identify the machine or its owner, each with its replacement in a report. */
final class MachineNames {

    /** A host's name. */
    static final String HOST = "[host]";

    private MachineNames() {}

    static Map<String, String> here() throws IOException {
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
        return names;
    }
}
