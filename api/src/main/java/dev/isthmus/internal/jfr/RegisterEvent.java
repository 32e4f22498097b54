// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Memory was registered with a device, which pins its pages. */
@Name("dev.isthmus.Register")
@Label("Memory Registered")
@Category("Isthmus")
@Description("Memory was registered with a device, which pins its pages.")
final class RegisterEvent extends Event {

    @Label("Device")
    String device;

    @Label("Length")
    @DataAmount
    long bytes;
}
