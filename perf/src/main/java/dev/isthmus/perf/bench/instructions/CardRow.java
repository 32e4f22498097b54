// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.util.List;

/**
 * A row of verbs with plain calls, as for a driver whose calls are not known to be short. The same programs run with
 * Soft-RoCE's driver under another name.
 */
record PlainRow(VerbsRow row) implements Row {

    static final List<PlainRow> ALL = VerbsRow.ALL.stream().map(PlainRow::new).toList();

    private static final String SUFFIX = "-plain";

    /** Hardly any of this call is C's, so it shows best how much more a plain call takes. */
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
