// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

import java.util.List;

/**
 * A row of verbs whose calls are plain, as those of a driver are that is not known to be short: in the same programs,
 * with Soft-RoCE's driver under another name.
 */
record PlainRow(VerbsRow row) implements Row {

    static final List<PlainRow> ALL = VerbsRow.ALL.stream().map(PlainRow::new).toList();

    private static final String SUFFIX = "-plain";

    /** A call of which nearly nothing is C's: what a plain call takes more is seen there best. */
    static final PlainRow SHORTEST = ALL.getFirst();

    @Override
    public String title() {
        return row.title() + SUFFIX;
    }

    @Override
    public String spec() {
        return row.spec();
    }
}
