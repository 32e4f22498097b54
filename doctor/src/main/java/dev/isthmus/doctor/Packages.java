// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import java.util.List;

/** How to install packages on a machine: its distribution decides. */
final class Packages {

    private static final String RELEASE = "etc/os-release";

    private Packages() {}

    /**
     * The command to type.
     *
     * @param debian the packages' names in Debian and what descends from it
     * @param fedora their names in Fedora, RHEL and what descends from them
     */
    static String install(KernelFiles machine, String debian, String fedora) {
        String names = machine.find(RELEASE, "^ID=(.*)$") + " " + machine.find(RELEASE, "^ID_LIKE=(.*)$");
        List<String> families = List.of(names.replaceAll("[\"']", "").split(" ", -1));
        if (families.contains("debian")) {
            return "apt-get install " + debian;
        }
        if (families.contains("fedora") || families.contains("rhel")) {
            return "dnf install " + fedora;
        }
        return "install what Debian calls " + debian + ", and Fedora " + fedora;
    }
}
