// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import dev.isthmus.perf.bench.compare.PingPongs;
import dev.isthmus.perf.common.Machine;
import dev.isthmus.perf.common.Side;
import java.io.PrintStream;
import java.util.Optional;

/**
 * What a part in another process reports: one line of JSON on its standard output. Unset members are null.
 *
 * @param progress what begins
 * @param sample a round that is over
 * @param machine where it is measured
 * @param emulated whether its processor is emulated in software
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Event(String progress, DemoReport.Sample sample, Machine machine, Boolean emulated) {

    /** How such a line begins; any other line on that stream is for people. */
    private static final String MARK = "{\"";

    static Optional<Event> parse(String line) {
        try {
            return line.startsWith(MARK) ? Optional.of(DemoReport.JSON.readValue(line, Event.class)) : Optional.empty();
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /**
     * Prints a part's events.
     *
     * @param path what its messages take
     */
    record Printer(String path, PrintStream out) implements PingPongs.Listener {

        @Override
        public void progress(String what) {
            print(new Event(what, null, null, null));
        }

        @Override
        public void measured(int bytes, Side side, int round, double medianMicros, double averageMicros) {
            print(new Event(
                    null, new DemoReport.Sample(path, bytes, side, round, medianMicros, averageMicros), null, null));
        }

        void machine(Machine machine) {
            print(new Event(null, null, machine, null));
        }

        /** The first event: after a crash there are no more. */
        void begin() {
            print(new Event("starting JVMs", null, null, Machine.isEmulated()));
        }

        private void print(Event event) {
            try {
                out.println(DemoReport.JSON.writeValueAsString(event));
                out.flush();
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("cannot write a record", e);
            }
        }
    }
}
