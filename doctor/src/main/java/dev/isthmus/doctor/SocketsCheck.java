// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;

/** Whether a program's JVM has what sockets over RDMA need, apart from what the machine needs. */
record SocketsCheck(KernelFiles machine, Findings findings, RunningJvm jvm) {

    private static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";
    private static final String ASYNC_PROVIDER = "java.nio.channels.spi.AsynchronousChannelProvider";
    private static final String OURS = "dev.isthmus.nio.RdmaSelectorProvider";
    private static final String OURS_ASYNC = "dev.isthmus.nio.RdmaAsynchronousChannelProvider";
    // Properties that Isthmus sets in the JVM: the agent's jar, whether it granted native access, and RdmaSockets.
    private static final String AGENT = "isthmus.agent";
    private static final String AGENT_GRANTED = "isthmus.agent.nativeAccess";
    private static final String JAVA_NET = "isthmus.nio.sockets";
    private static final String NATIVE_ACCESS = "--enable-native-access";
    private static final List<String> MODULES = List.of("dev.isthmus", "dev.isthmus.bindings.ibverbs");

    /** One class of each jar. */
    private static final Map<String, String> JARS = new TreeMap<>(Map.of(
            "isthmus-nio", "dev/isthmus/nio/RdmaSelectorProvider",
            "isthmus", "dev/isthmus/verbs/Device",
            "isthmus-bindings-ibverbs", "dev/isthmus/bindings/ibverbs/ibv_ah"));

    private static final int OLDEST = 22;
    private static final int WARNS = 24;

    /** The sockets also need verbs and rdma_cm. */
    void look(boolean devicesWork) throws IOException {
        version();
        provider();
        javaNet();
        if (jvm.property(AGENT).isEmpty()) {
            boolean modular = classes();
            access(modular);
            exports(modular);
        } else {
            agent();
        }
        RulesCheck.look(findings, jvm);
        new ProcessCheck(machine, findings, jvm).look();
        if (!devicesWork) {
            findings.missing("they need RDMA devices and rdma_cm: see verbs and rdma_cm", "fix those first");
        }
    }

    /** 25, or 8 of "1.8". */
    private int feature() {
        String version = jvm.property("java.specification.version").replaceFirst("^1\\.", "");
        return version.matches("[0-9]{1,4}") ? Integer.parseInt(version) : 0;
    }

    private void version() {
        String name = "JDK " + jvm.property("java.vm.version");
        if (feature() < OLDEST) {
            findings.missing(name + " is older than 22", "run the program on a JDK 22 or newer");
        } else {
            findings.good(name);
        }
    }

    private void provider() {
        String provider = jvm.property(PROVIDER);
        if (provider.equals(OURS)) {
            findings.good("its channels are opened by " + OURS);
        } else {
            findings.missing(
                    "its channels are opened by " + (provider.isEmpty() ? "the JDK's provider, and use TCP" : provider),
                    "-D" + PROVIDER + "=" + OURS + ", unless the program passes a provider itself");
        }
        String async = jvm.property(ASYNC_PROVIDER);
        if (async.equals(OURS_ASYNC)) {
            findings.good("its asynchronous channels are opened by " + OURS_ASYNC);
        } else {
            findings.note(
                    "its asynchronous channels, if it has any, use TCP", "-D" + ASYNC_PROVIDER + "=" + OURS_ASYNC);
        }
    }

    private void javaNet() {
        if (jvm.property(JAVA_NET).equals("true")) {
            findings.good("its sockets of java.net choose RDMA or TCP by the rules");
        } else {
            findings.note("its sockets of java.net, if it has any, use TCP", "-javaagent:isthmus-agent.jar");
        }
    }

    /** The agent's jar has all classes, and the agent exports what they need. */
    private void agent() {
        findings.good("the agent " + jvm.property(AGENT) + " has brought Isthmus");
        if (jvm.property(AGENT_GRANTED).equals("true")) {
            findings.good("the agent has granted native access");
        } else {
            findings.note(
                    "native access is not granted: the JVM warns, and a later JDK will refuse",
                    NATIVE_ACCESS + "=ALL-UNNAMED");
        }
    }

    /** Returns whether Isthmus is on the module path. */
    private boolean classes() throws IOException {
        var onClassPath = ProgramClasses.ofClassPath(jvm);
        var onModulePath = ProgramClasses.ofModulePath(jvm);
        boolean modular = false;
        var lacking = new ArrayList<String>();
        for (var jar : JARS.entrySet()) {
            boolean asModule = onModulePath.has(jar.getValue());
            modular |= asModule;
            if (!asModule && !onClassPath.has(jar.getValue())) {
                lacking.add(jar.getKey());
            }
        }
        if (!lacking.isEmpty()) {
            findings.missing(
                    "neither its class path nor its module path has " + String.join(", ", lacking),
                    "add the jars to -cp; a class loader of the program, as in an application server, comes too late");
        } else {
            findings.good("Isthmus is on its " + (modular ? "module path" : "class path"));
        }
        if (modular && jvm.values("--add-modules").stream().noneMatch(value -> value.contains("dev.isthmus.nio"))) {
            findings.note(
                    "a module that no other module requires is not resolved",
                    "--add-modules dev.isthmus.nio, unless a module requires it");
        }
        return modular;
    }

    private void access(boolean modular) throws IOException {
        var granted = new ArrayList<String>();
        jvm.values(NATIVE_ACCESS).forEach(value -> granted.addAll(List.of(value.split(",", -1))));
        boolean names = !granted.isEmpty();
        if (isStartedFromJar()) {
            granted.add(ProgramClasses.attribute(
                    jvm.file(jvm.property("java.class.path")), new Attributes.Name("Enable-Native-Access")));
        }
        List<String> wanted = modular ? MODULES : List.of("ALL-UNNAMED");
        String mend = NATIVE_ACCESS + "=" + String.join(",", wanted);
        boolean denies = feature() < WARNS
                ? names
                : jvm.values("--illegal-native-access").contains("deny");
        if (granted.containsAll(wanted)) {
            findings.good("native access is granted");
        } else if (denies) {
            findings.missing("native access is denied to Isthmus", mend);
        } else {
            findings.note("native access is not granted: the JVM warns, and a later JDK will refuse", mend);
        }
    }

    private boolean isStartedFromJar() {
        String path = jvm.property("java.class.path");
        return path.endsWith(".jar") && jvm.property("sun.java.command").startsWith(path);
    }

    private void exports(boolean modular) throws IOException {
        String to = modular ? "dev.isthmus.nio" : "ALL-UNNAMED";
        String wanted = "java.base/sun.nio.ch=" + to;
        boolean byManifest = isStartedFromJar()
                && ProgramClasses.attribute(
                                jvm.file(jvm.property("java.class.path")), new Attributes.Name("Add-Exports"))
                        .contains("java.base/sun.nio.ch");
        boolean given = jvm.values("--add-exports").stream()
                .anyMatch(value -> value.startsWith("java.base/sun.nio.ch=")
                        && List.of(value.substring(value.indexOf('=') + 1).split(",", -1))
                                .contains(to));
        if (given || byManifest) {
            findings.good("its selectors also accept channels of TCP, datagrams and pipes");
        } else {
            findings.note(
                    "its selectors refuse channels of TCP, datagrams and pipes, with an exception",
                    "--add-exports " + wanted + ", if the program has such channels beside those over RDMA");
        }
    }
}
