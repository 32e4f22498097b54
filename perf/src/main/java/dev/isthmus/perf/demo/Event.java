// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.PrintStream;
import java.util.Optional;

/**
 * What a duel in another process tells us: one line of JSON on its standard output. Members that are not set
 * are null.
 *
 * @param progress what begins
 * @param sample a round that is over
 * @param machine where the duel is held
 * @param emulated whether that is on a processor that is played in software
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Event(String progress, Sample sample, Machine machine, Boolean emulated) {

    /** What such a line begins with; anything else on that stream is for people. */
    private static final String MARK = "{\"";

    static Optional<Event> parse(String line) {
        try {
            return line.startsWith(MARK) ? Optional.of(Report.JSON.readValue(line, Event.class)) : Optional.empty();
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /** Passes on what a duel says. */
    record Printer(PrintStream out) implements Duel.Listener {

        @Override
        public void progress(String what) {
            print(new Event(what, null, null, null));
        }

        @Override
        public void sample(Sample sample) {
            print(new Event(null, sample, null, null));
        }

        void machine(Machine machine) {
            print(new Event(null, null, machine, null));
        }

        /** The first to be told, as nothing can be told after a crash. */
        void begin() {
            print(new Event("starting JVMs", null, null, Machine.isEmulated()));
        }

        private void print(Event event) {
            try {
                out.println(Report.JSON.writeValueAsString(event));
                out.flush();
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a record that cannot be written", e);
            }
        }
    }
}
