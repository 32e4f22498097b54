// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.doctor.Finding.Level;
import java.util.ArrayList;
import java.util.List;

/** The findings of a part so far, in order. */
final class Findings {

    private final Part part;
    private final List<Finding> list = new ArrayList<>();

    Findings(Part part) {
        this.part = part;
    }

    void good(String what) {
        list.add(new Finding(part, Level.GOOD, what, ""));
    }

    void note(String what, String mend) {
        list.add(new Finding(part, Level.NOTE, what, mend));
    }

    void missing(String what, String mend) {
        list.add(new Finding(part, Level.MISSING, what, mend));
    }

    /** Adds what was found of several things of which one is enough: if one works, what others lack is only noted. */
    void addAlternatives(List<Findings> each) {
        boolean works = each.stream().anyMatch(Findings::works);
        for (Findings one : each) {
            for (Finding finding : one.list) {
                boolean mere = works && finding.level() == Level.MISSING;
                list.add(mere ? new Finding(part, Level.NOTE, finding.what(), finding.mend()) : finding);
            }
        }
    }

    List<Finding> list() {
        return List.copyOf(list);
    }

    /** Whether the part lacks nothing that it needs. */
    boolean works() {
        return list.stream().noneMatch(finding -> finding.level() == Level.MISSING);
    }
}
