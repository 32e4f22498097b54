// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor.info;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Set;

/** Prints lines in ibv_devinfo's layout. */
record AttributeLines(PrintWriter out) {

    /** Before each name in a list of flags. */
    private static final String FLAG = "\t\t\t\t\t";

    /** A line with its own format, without the newline. */
    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library that is not a dependency
    void line(String format, Object... values) {
        out.print(String.format(Locale.ROOT, format, values) + "\n");
    }

    /** A number of a device: name, tabs, value. */
    void attribute(String nameAndTabs, Object value) {
        line("\t%s%s", nameAndTabs, value);
    }

    /** The name of a flag that is set. */
    void flag(String name) {
        line(FLAG + "%s", name);
    }

    /** The names of flags that are set. */
    <E extends Enum<E>> void flags(String prefix, Set<E> flags) {
        flags.forEach(flag -> flag(prefix + flag.name()));
    }

    /** Unknown flags, if there are any. */
    void unknownFlags(long flags) {
        if (flags != 0) {
            line(FLAG + "Unknown flags: 0x%X", flags);
        }
    }
}
