// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Short questions to other programs. */
final class Tool {

    private Tool() {}

    /** The first line that is not empty of what a program prints, "unknown" if there is none. */
    static String firstLine(String... command) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException(command[0] + " cannot be started: is it installed? " + e.getMessage(), e);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return output.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse("unknown");
    }
}
