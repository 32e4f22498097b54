// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.doctor.Finding.Level;
import java.util.ArrayList;
import java.util.List;

/** The findings so far, in order. */
final class Findings {

    private final List<Finding> list = new ArrayList<>();

    void good(Part part, String what) {
        list.add(new Finding(part, Level.GOOD, what, ""));
    }

    void note(Part part, String what, String mend) {
        list.add(new Finding(part, Level.NOTE, what, mend));
    }

    void missing(Part part, String what, String mend) {
        list.add(new Finding(part, Level.MISSING, what, mend));
    }

    void add(Findings others) {
        list.addAll(others.list);
    }

    /** A copy in which what is missing is only noted. */
    Findings asNotes() {
        var notes = new Findings();
        for (Finding one : list) {
            notes.list.add(
                    one.level() == Level.MISSING ? new Finding(one.part(), Level.NOTE, one.what(), one.mend()) : one);
        }
        return notes;
    }

    /** The findings of a part. */
    List<Finding> of(Part part) {
        return list.stream().filter(finding -> finding.part() == part).toList();
    }

    /** Whether a part lacks nothing that it needs. */
    boolean works(Part part) {
        return of(part).stream().noneMatch(finding -> finding.level() == Level.MISSING);
    }
}
