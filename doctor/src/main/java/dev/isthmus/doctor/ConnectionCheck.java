// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaUnavailableException;

/** librdmacm and the kernel's side of it. */
final class ConnectionCheck {

    private static final String NODE = "dev/infiniband/rdma_cm";

    private ConnectionCheck() {}

    static void look(KernelFiles machine, Findings findings, Libraries libraries, boolean verbsWork) {
        try {
            findings.good(libraries.rdmaCm());
        } catch (RdmaUnavailableException e) {
            findings.missing(e.getMessage(), Packages.install(machine, "librdmacm1", "librdmacm"));
        }
        if (!machine.has("sys/class/misc/rdma_cm")) {
            findings.missing(
                    "the kernel's connection manager is not loaded",
                    machine.hasModule("rdma_ucm") ? "modprobe rdma_ucm" : "boot a kernel that has rdma_ucm");
        } else if (!machine.has(NODE)) {
            findings.missing("/" + NODE + " is missing", "in a container: --device=/dev/infiniband/rdma_cm");
        } else if (!machine.mayUse(NODE)) {
            findings.missing("this user may not read and write /" + NODE, "chmod 0666 /" + NODE);
        } else {
            findings.good("/" + NODE + " may be opened");
        }
        if (!verbsWork) {
            findings.missing("it needs an RDMA device: see verbs", "fix verbs first");
        }
    }
}
