// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A call failed: the message of the exception, before anybody catches it. */
@Name("dev.isthmus.Failure")
@Label("Failure")
@Category("Isthmus")
@Description("A call failed: the message of the exception, before anybody catches it.")
final class FailureEvent extends Event {

    @Label("Exception")
    String exception;

    @Label("Message")
    String message;
}
