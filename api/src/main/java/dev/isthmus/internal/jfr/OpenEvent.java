// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A native object was created: a device, a queue pair, a worker. */
@Name("dev.isthmus.Open")
@Label("Object Opened")
@Category("Isthmus")
@Description("A native object was made: a device, a queue pair, a worker.")
final class OpenEvent extends Event {

    @Label("Kind")
    String kind;

    @Label("Name")
    String name;
}
