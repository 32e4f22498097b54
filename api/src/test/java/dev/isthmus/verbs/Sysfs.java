// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.nio.file.Path;

/** Where libibverbs reads what the kernel says of devices: in /sys, or where its variable SYSFS_PATH says. */
final class Sysfs {

    private static final Path ROOT = Path.of(System.getenv().getOrDefault("SYSFS_PATH", "/sys"));

    static final Path DEVICES = ROOT.resolve("class/infiniband");

    private Sysfs() {}

    /** Whether it is the kernel's own. */
    static boolean isOfKernel() {
        return ROOT.equals(Path.of("/sys"));
    }
}
