// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.report;

import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Names that identify the machine or its owner, each with its replacement in a report. */
final class MachineNames {

    private static final Pattern ZEROS = Pattern.compile("(?:^|:)0(?::0)+(?::|$)");

    private MachineNames() {}

    /** An IPv6 address as it is written, with its longest row of zeros left out (RFC 5952); Java leaves out none. */
    private static String shortened(String address) {
        return ZEROS.matcher(address)
                .results()
                .max(Comparator.comparingInt(zeros -> zeros.end() - zeros.start()))
                .map(zeros -> address.substring(0, zeros.start()) + "::" + address.substring(zeros.end()))
                .orElse(address);
    }

    static Map<String, String> here() throws IOException {
        Map<String, String> names = new LinkedHashMap<>();
        names.put(System.getProperty("user.home"), "~");
        names.put(Path.of("").toAbsolutePath().toString(), ".");
        names.put(System.getProperty("isthmus.home"), "[isthmus]");
        names.put(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip(), "[host]");
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .forEach(address -> {
                    String text = address.getHostAddress().replaceFirst("%.*", "");
                    if (!address.isLoopbackAddress()) {
                        names.put(text, "[address]");
                        names.put(shortened(text), "[address]");
                    }
                });
        String user = System.getProperty("user.name");
        if (!user.equals("root")) { // not a person's name, and a word of many messages
            names.put(user, "[user]");
        }
        return names;
    }
}
