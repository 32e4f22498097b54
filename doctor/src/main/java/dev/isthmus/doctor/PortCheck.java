// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import java.util.ArrayList;
import java.util.List;

/** The ports of a device: link, state and GIDs. */
record PortCheck(KernelFiles machine, Findings findings, Libraries libraries, String device) {

    private static final String NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000";

    private String folder() {
        return VerbsCheck.DEVICES + "/" + device + "/ports";
    }

    void look() {
        List<String> active = new ArrayList<>();
        for (String port : machine.names(folder(), "*")) {
            String state = word("/" + port + "/state");
            String link = machine.text(folder() + "/" + port + "/link_layer");
            String name = device + " port " + port + " (" + link + ")";
            if (state.equals("ACTIVE")) {
                active.add(port);
                findings.good(name + ": ACTIVE, " + machine.text(folder() + "/" + port + "/rate"));
                gids(port, name, link);
            } else {
                findings.note(name + ": " + state + ", link " + word("/" + port + "/phys_state"), mend(port, link));
            }
        }
        if (active.isEmpty()) {
            findings.missing(device + " has no port that is ACTIVE", "see the ports above");
        }
    }

    // "4: ACTIVE"
    private String word(String file) {
        String text = machine.text(folder() + file);
        return text.substring(text.indexOf(' ') + 1);
    }

    private String mend(String port, String link) {
        if (!link.equals("Ethernet")) {
            return "check the cable, and whether a subnet manager runs (opensm)";
        }
        String interfaces = String.join(" ", interfaces(port));
        return "ip link set " + (interfaces.isEmpty() ? "INTERFACE" : interfaces) + " up, and check the cable";
    }

    private List<String> interfaces(String port) {
        String ndevs = folder() + "/" + port + "/gid_attrs/ndevs";
        return machine.names(ndevs, "*").stream()
                .map(index -> machine.text(ndevs + "/" + index))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    private void gids(String port, String name, String link) {
        List<String> own = new ArrayList<>();
        List<String> others = new ArrayList<>();
        boolean routable = false;
        for (String index : machine.names(folder() + "/" + port + "/gids", "*")) {
            String gid = machine.text(folder() + "/" + port + "/gids/" + index);
            if (!gid.isEmpty() && !gid.equals(NO_GID)) {
                String type = attribute(port, "types", index);
                String shown = index + " " + gid + (type.isEmpty() ? "" : " " + type);
                if (isInThisNamespace(attribute(port, "ndevs", index), gid)) {
                    own.add(shown);
                    routable |= !gid.startsWith("fe80:");
                } else {
                    others.add(shown);
                }
            }
        }
        String list = String.join("; ", own);
        if (own.isEmpty() && others.isEmpty()) {
            findings.missing(
                    name + ": no GID",
                    "give its network interface an address: ip addr add; in a container, see docs/how-to/pods.md");
        } else if (own.isEmpty()) {
            findings.missing(
                    name + ": no GID of this network namespace, only those of others: " + String.join("; ", others),
                    "give this namespace a network interface of the port, or share the host's network:"
                            + " docs/how-to/pods.md");
        } else if (!routable && link.equals("Ethernet")) {
            findings.note(
                    name + ": link-local GIDs only: " + list,
                    "give " + interfaces(port) + " an IP address: rdma_cm and routers need one");
        } else {
            String rest = others.isEmpty() ? "" : "; and " + others.size() + " of other network namespaces";
            findings.good(name + ": GIDs " + list + rest);
        }
    }

    private String attribute(String port, String attribute, String index) {
        return machine.text(folder() + "/" + port + "/gid_attrs/" + attribute + "/" + index);
    }

    /** On RoCE, a GID belongs to an interface, which may be in another namespace, and be called as one in this is. */
    private boolean isInThisNamespace(String netdev, String gid) {
        if (netdev.isEmpty()
                || machine.text(VerbsCheck.DEVICES + "/" + device + "/node_type")
                        .contains("RNIC")) {
            return true; // InfiniBand; iWARP
        }
        String index = machine.text("sys/class/net/" + netdev + "/ifindex");
        return !index.isEmpty() && libraries.isGidOf(Integer.parseInt(index), gid);
    }
}
