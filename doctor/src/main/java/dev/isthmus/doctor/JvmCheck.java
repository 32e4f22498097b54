// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** The JVM that runs this: its version, and the options that matter. */
final class JvmCheck {

    private JvmCheck() {}

    static void look(Findings findings, Runtime.Version version, boolean barrier) {
        findings.good("JDK " + version);
        findings.note(
                "your program needs native access: without it the JVM warns, and a later JDK will refuse",
                "java --enable-native-access=ALL-UNNAMED ...");
        if (barrier) {
            findings.good("UseSystemMemoryBarrier is on");
        } else {
            findings.note(
                    "UseSystemMemoryBarrier is off: every call into C costs a memory barrier",
                    "java -XX:+UnlockExperimentalVMOptions -XX:+UseSystemMemoryBarrier ...");
        }
    }

    /** Whether this JVM runs with the option. */
    static boolean barrier() {
        try {
            return Boolean.parseBoolean(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .getVMOption("UseSystemMemoryBarrier")
                    .getValue());
        } catch (IllegalArgumentException e) {
            return false; // a JVM that has no such option
        }
    }
}
