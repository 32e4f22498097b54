// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * The output of one command.
 *
 * @param name a word
 * @param title what it is about
 * @param command what was run
 * @param status the exit status
 * @param seconds how long it took
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
        @JsonInclude(JsonInclude.Include.NON_NULL) JsonNode data) {}
