// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaUnavailableException;
import java.util.List;

/** libibverbs, the kernel's side of it, the devices and their nodes. */
final class VerbsCheck {

    static final String DEVICES = "sys/class/infiniband";
    static final String SOFT_ROCE = "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev INTERFACE";

    private static final String TESTBED = "./isthmus testbed -- COMMAND runs a command where there are devices";
    private static final String NODES = "dev/infiniband";

    private final KernelFiles machine;
    private final Findings findings;

    VerbsCheck(KernelFiles machine, Findings findings) {
        this.machine = machine;
        this.findings = findings;
    }

    void look(Libraries libraries) {
        try {
            findings.good(Part.VERBS, libraries.verbs());
        } catch (RdmaUnavailableException e) {
            findings.missing(
                    Part.VERBS,
                    e.getMessage(),
                    Packages.install(machine, "libibverbs1 ibverbs-providers", "libibverbs"));
        }
        if (!machine.has("sys/class/infiniband_verbs")) {
            noKernelSide();
            return;
        }
        findings.good(Part.VERBS, "the kernel's verbs interface (ib_uverbs)");
        List<String> devices = machine.names(DEVICES, "*");
        if (devices.isEmpty()) {
            noDevice();
            return;
        }
        devices.forEach(device -> new PortCheck(machine, findings, device).look());
        nodes();
    }

    private void noKernelSide() {
        if (machine.hasModule("ib_uverbs")) {
            findings.missing(Part.VERBS, "the kernel's verbs interface is not loaded", "modprobe ib_uverbs");
            noDevice();
        } else {
            findings.missing(
                    Part.VERBS,
                    "the kernel " + machine.text("proc/sys/kernel/osrelease")
                            + " has no verbs interface (ib_uverbs), and hence no RDMA device",
                    "boot a kernel that has it, such as Debian's linux-image-amd64; " + TESTBED);
        }
    }

    private void noDevice() {
        findings.missing(
                Part.VERBS,
                "no RDMA device",
                machine.hasModule("rdma_rxe")
                        ? "without hardware: " + SOFT_ROCE + "; or " + TESTBED
                        : "load the driver of your adapter; " + TESTBED);
    }

    private void nodes() {
        List<String> known = machine.names("sys/class/infiniband_verbs", "uverbs*");
        for (String node : known) {
            String path = NODES + "/" + node;
            if (!machine.has(path)) {
                findings.missing(
                        Part.VERBS,
                        "/" + path + " is missing",
                        "in a container: --device=/dev/infiniband; otherwise check whether udev runs");
            } else if (!machine.mayUse(path)) {
                findings.missing(
                        Part.VERBS,
                        "this user may not read and write /" + path,
                        "chmod 0666 /" + path + ", which a udev rule of rdma-core does at boot");
            } else {
                findings.good(Part.VERBS, "/" + path + " may be opened");
            }
        }
    }
}
