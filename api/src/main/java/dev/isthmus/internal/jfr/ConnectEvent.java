// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A queue pair or a connection was connected to its peer. */
@Name("dev.isthmus.Connect")
@Label("Connected")
@Category("Isthmus")
@Description("A queue pair or a connection was connected to its peer.")
final class ConnectEvent extends Event {

    @Label("Local")
    String local;

    @Label("Remote")
    String remote;
}
