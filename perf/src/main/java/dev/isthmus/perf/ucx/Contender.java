// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import java.io.IOException;

/** Who is compared. */
interface Contender extends AutoCloseable {

    /** Their names, in the order of the columns. */
    enum Name {
        C("C"),
        JAVA("Java"),
        JUCX("JUCX");

        private final String title;

        Name(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** Measures a cell once. */
    double run(Cell cell, int iterations, int warmUp, double warmUpSeconds) throws IOException, InterruptedException;

    @Override
    void close();

    /** The figure of a line of results: the median latency, or the bandwidth of all. */
    static double figure(Cell cell, String results) throws IOException {
        String[] fields = results.strip().split("\\s+", -1);
        try {
            if (fields.length == 8) {
                return Double.parseDouble(fields[cell.bandwidth() ? 5 : 1]);
            }
        } catch (NumberFormatException e) {
            throw new IOException("no figures: " + results, e);
        }
        throw new IOException("no figures: " + results);
    }
}
