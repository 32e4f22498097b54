// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaUnavailableException;
import java.util.List;

/** libibverbs, the kernel's side of it, the devices and their nodes. */
record VerbsCheck(KernelFiles machine, Findings findings) {

    static final String DEVICES = "sys/class/infiniband";
    static final String SOFT_ROCE = "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev INTERFACE";

    private static final String TESTBED = "./isthmus testbed -- COMMAND runs a command where there are devices";
    private static final String NODES = "dev/infiniband";
    private static final String UVERBS = "sys/class/infiniband_verbs";

    void look(Libraries libraries) {
        try {
            findings.good(libraries.verbs());
        } catch (RdmaUnavailableException e) {
            findings.missing(e.getMessage(), Packages.install(machine, "libibverbs1 ibverbs-providers", "libibverbs"));
        }
        if (!machine.has(UVERBS)) {
            noKernelSide();
            return;
        }
        findings.good("the kernel's verbs interface (ib_uverbs)");
        List<String> devices = machine.names(DEVICES, "*");
        if (devices.isEmpty()) {
            noDevice();
            return;
        }
        // A container need not have all devices.
        findings.addAlternatives(
                devices.stream().map(device -> look(libraries, device)).toList());
    }

    private Findings look(Libraries libraries, String device) {
        var found = new Findings(Part.VERBS);
        new PortCheck(machine, found, libraries, device).look();
        machine.names(UVERBS, "uverbs*").stream()
                .filter(node -> machine.text(UVERBS + "/" + node + "/ibdev").equals(device))
                .forEach(node -> look(found, device, "/" + NODES + "/" + node));
        return found;
    }

    private void noKernelSide() {
        if (machine.hasModule("ib_uverbs")) {
            findings.missing("the kernel's verbs interface is not loaded", "modprobe ib_uverbs");
            noDevice();
        } else {
            findings.missing(
                    "the kernel " + machine.text("proc/sys/kernel/osrelease")
                            + " has no verbs interface (ib_uverbs), and hence no RDMA device",
                    "boot a kernel that has it, such as Debian's linux-image-amd64; " + TESTBED);
        }
    }

    private void noDevice() {
        if (machine.text("sys/module/ib_core/parameters/netns_mode").equals("N")) {
            findings.missing(
                    "no RDMA device in this network namespace; one that belongs to another is not visible here",
                    "in the host's: rdma dev set DEVICE netns NAMESPACE; of pods, see docs/how-to/pods.md");
            return;
        }
        findings.missing(
                "no RDMA device",
                machine.hasModule("rdma_rxe")
                        ? "without hardware: " + SOFT_ROCE + "; or " + TESTBED
                        : "load the driver of your adapter; " + TESTBED);
    }

    private void look(Findings found, String device, String node) {
        String path = node.substring(1);
        if (!machine.has(path)) {
            found.missing(
                    node + " is missing, which is " + device,
                    "in a container: --device=/dev/infiniband; otherwise check whether udev runs");
        } else if (!machine.mayUse(path)) {
            found.missing(
                    "this user may not read and write " + node + ", which is " + device,
                    "chmod 0666 " + node + ", which a udev rule of rdma-core does at boot");
        } else {
            found.good(node + " may be opened");
        }
    }
}
