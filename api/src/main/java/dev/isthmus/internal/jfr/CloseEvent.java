// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A native object was destroyed. */
@Name("dev.isthmus.Close")
@Label("Object Closed")
@Category("Isthmus")
@Description("A native object was destroyed.")
final class CloseEvent extends Event {

    @Label("Kind")
    String kind;

    @Label("Name")
    String name;
}
