// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** UCX, and its transports on this machine. */
final class UcxCheck {

    private static final Set<String> SHARED_MEMORY = Set.of("posix", "sysv", "cma", "xpmem", "knem");

    private UcxCheck() {}

    static void look(KernelFiles machine, Findings findings, Libraries libraries, boolean verbsWork) {
        List<String> transports;
        try {
            findings.good(libraries.ucx());
            transports = libraries.ucxTransports();
        } catch (RdmaException e) {
            findings.missing(e.getMessage(), Packages.install(machine, "libucx0", "ucx"));
            return;
        }
        var names = new TreeSet<String>();
        transports.forEach(transport -> names.add(transport.substring(0, transport.indexOf('/'))));
        if (names.isEmpty()) {
            findings.missing(
                    "UCX has no transport here", "unset UCX_TLS and UCX_NET_DEVICES; ucx_info -d lists transports");
            return;
        }
        findings.good("transports " + String.join(", ", transports));
        if (names.stream().noneMatch(SHARED_MEMORY::contains)) {
            findings.note("no shared memory among the transports", "see UCX_TLS and /dev/shm");
        }
        if (names.stream().noneMatch(name -> name.startsWith("rc") || name.startsWith("ud") || name.startsWith("dc"))) {
            findings.note(
                    "no RDMA among the transports: other machines are reached over TCP",
                    verbsWork
                            ? "see UCX_TLS and UCX_NET_DEVICES; on RoCE, UCX_IB_GID_INDEX; on Fedora and its kin, the packages"
                                    + " ucx-ib and ucx-rdmacm"
                            : "fix verbs first");
        }
    }
}
