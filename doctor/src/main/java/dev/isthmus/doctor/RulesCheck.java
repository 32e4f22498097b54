// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.nio.RdmaSelectorProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The rules that say which sockets of a JVM use RDMA. */
final class RulesCheck {

    private static final String FILE = "isthmus.nio.rules";
    private static final String CONNECT = "isthmus.nio.connect";
    private static final String BIND = "isthmus.nio.bind";

    private RulesCheck() {}

    static void look(Findings findings, RunningJvm jvm) throws IOException {
        var stated = new HashMap<String, String>();
        for (String name : List.of(FILE, CONNECT, BIND)) {
            if (jvm.properties().containsKey(name)) {
                stated.put(name, jvm.property(name));
            }
        }
        if (stated.isEmpty()) {
            findings.good("no rules: sockets use RDMA wherever an RDMA device can carry them");
            return;
        }
        String name = jvm.property(FILE);
        Path file = jvm.file(name);
        stated.replace(FILE, file.toString());
        try {
            read(stated);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            findings.missing(
                    e.getMessage().replace(file.toString(), name),
                    "correct it, and make it readable for the user of the JVM");
            return;
        }
        findings.good("its rules are valid: " + String.join(", ", stated.keySet()));
        if (!name.isEmpty()) {
            for (String direction : List.of("connect", "bind")) {
                if (!stated.containsKey("isthmus.nio." + direction) && !hasLine(file, direction)) {
                    findings.note(
                            name + " has no line that begins with " + direction + ": every " + direction + " uses TCP",
                            direction + " * *");
                }
            }
        }
    }

    private static boolean hasLine(Path file, String direction) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.anyMatch(line -> line.strip().startsWith(direction));
        }
    }

    /** Reads the rules as the program would, for the same messages: for a moment, this JVM has the same properties. */
    private static void read(Map<String, String> stated) {
        var before = new HashMap<String, String>();
        for (String name : List.of(FILE, CONNECT, BIND)) {
            before.put(name, System.getProperty(name));
            set(name, stated.get(name));
        }
        try {
            new RdmaSelectorProvider();
        } finally {
            before.forEach(RulesCheck::set);
        }
    }

    private static void set(String name, String value) {
        if (value == null) {
            System.clearProperty(name);
        } else {
            System.setProperty(name, value);
        }
    }
}
