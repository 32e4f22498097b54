// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the kernel says about a JVM's process: its limits, its rights, and its open files. */
record ProcessCheck(KernelFiles machine, Findings findings, RunningJvm jvm) {

    private static final int READ_AND_WRITE = 6;
    private static final Pattern NATIVE_TRANSPORT = Pattern.compile("netty_transport_native_(epoll|io_uring)");

    private String folder() {
        return "proc/" + jvm.pid();
    }

    void look() throws IOException {
        namespace();
        nodes();
        MemoryCheck.lockedMemory(machine, findings, folder());
        nativeTransports();
        inUse();
    }

    /** The devices and GIDs were looked up in the namespace of this process. */
    private void namespace() throws IOException {
        if (!link("proc/self/ns/net").equals(link(folder() + "/ns/net"))) {
            findings.note(
                    "it has a network namespace of its own: the GIDs above are those that this process sees",
                    "run doctor where the program runs, such as in its container");
        }
    }

    /** The device nodes as the process sees them: a container has its own /dev, perhaps without some devices. */
    private void nodes() throws IOException {
        List<String> devices = machine.names("sys/class/infiniband_verbs", "uverbs*");
        var found = new ArrayList<Findings>();
        for (String device : devices) {
            found.add(look("/dev/infiniband/" + device));
        }
        findings.addAlternatives(found);
        findings.addAlternatives(List.of(look("/dev/infiniband/rdma_cm")));
    }

    private Findings look(String node) throws IOException {
        var found = new Findings(Part.SOCKETS);
        Path path = jvm.file(node);
        if (!Files.exists(path)) {
            found.missing(
                    "the process sees no " + node, "in a container: --device=/dev/infiniband; see verbs and rdma_cm");
        } else if (!mayUse(path)) {
            found.missing(
                    "the user of the process (" + ids("Uid").getFirst() + ") may not read and write " + node,
                    "chmod 0666 " + node);
        } else {
            found.good("its user may open " + node);
        }
        return found;
    }

    /** Decides by the file's mode and by the process's user, groups and capability. */
    private boolean mayUse(Path path) throws IOException {
        Map<String, Object> file = Files.readAttributes(path, "unix:uid,gid,mode");
        int mode = (int) file.get("mode");
        String capabilities = machine.find(folder() + "/status", "^CapEff:\\s*([0-9a-f]+)");
        if (!capabilities.isEmpty() && (Long.parseUnsignedLong(capabilities, 16) >> 1 & 1) == 1) {
            return true; // CAP_DAC_OVERRIDE
        }
        int shift = 0;
        if (ids("Uid").contains(file.get("uid").toString())) {
            shift = 6;
        } else if (ids("Gid").contains(file.get("gid").toString())
                || ids("Groups").contains(file.get("gid").toString())) {
            shift = 3;
        }
        return (mode >> shift & READ_AND_WRITE) == READ_AND_WRITE;
    }

    /** The effective user or group, and all supplementary groups. */
    private List<String> ids(String kind) {
        List<String> all = List.of(machine.find(folder() + "/status", "^" + kind + ":[ \\t]*([0-9 \\t]*)")
                .split("\\s+", -1));
        return kind.equals("Groups") || all.size() < 2 ? all : all.subList(1, 2);
    }

    private void nativeTransports() {
        Matcher found = NATIVE_TRANSPORT.matcher(machine.text(folder() + "/maps"));
        var names = new TreeSet<String>();
        while (found.find()) {
            names.add(found.group(1));
        }
        if (!names.isEmpty()) {
            findings.note(
                    "netty has loaded its transport " + String.join(", ", names)
                            + ", which ignores providers: its channels use TCP",
                    "-Dio.netty.transport.noNative=true; of grpc-netty-shaded:"
                            + " -Dio.grpc.netty.shaded.io.netty.transport.noNative=true");
        }
    }

    /** Where a link of the kernel leads; nowhere if it is gone, as when a descriptor has been closed meanwhile. */
    private String link(String path) throws IOException {
        try {
            return Files.readSymbolicLink(machine.root().resolve(path)).toString();
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    private void inUse() throws IOException {
        int devices = 0;
        for (String descriptor : machine.names(folder() + "/fd", "*")) {
            if (link(folder() + "/fd/" + descriptor).startsWith("/dev/infiniband/uverbs")) {
                devices++;
            }
        }
        if (devices > 0) {
            findings.good("it has RDMA devices open: some of its sockets use, or used, RDMA");
        } else {
            findings.note(
                    "it has no RDMA device open: none of its sockets has used RDMA yet",
                    "check the rules, and the addresses that it binds and connects to");
        }
    }
}
