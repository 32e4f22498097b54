// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Another JVM, and how it was started.
 *
 * @param pid its process
 * @param root the root of the files that it sees, which differs in a container
 * @param folder its working directory
 * @param properties its system properties
 * @param options the JVM options of its command line
 */
record RunningJvm(long pid, Path root, Path folder, Map<String, String> properties, List<String> options) {

    /**
     * Attaches to a running JVM.
     *
     * @throws IOException if it does not answer; the message says why
     */
    static RunningJvm attach(long pid) throws IOException {
        VirtualMachine vm;
        try {
            vm = VirtualMachine.attach(Long.toString(pid));
        } catch (AttachNotSupportedException | IOException e) {
            throw new IOException(
                    "process " + pid + " does not answer: it must be a JVM of this user, started without"
                            + " -XX:+DisableAttachMechanism (" + e.getMessage() + ")",
                    e);
        }
        try {
            var properties = new TreeMap<String, String>();
            vm.getSystemProperties().forEach((name, value) -> properties.put(name.toString(), value.toString()));
            String options = vm.getAgentProperties().getProperty("sun.jvm.args", "");
            Path process = Path.of("/proc", Long.toString(pid));
            return new RunningJvm(
                    pid, process.resolve("root"), process.resolve("cwd"), properties, List.of(options.split(" ", -1)));
        } finally {
            vm.detach();
        }
    }

    /** A property, or "". */
    String property(String name) {
        return properties.getOrDefault(name, "");
    }

    /** A file, by its name in that JVM. */
    Path file(String name) {
        return name.startsWith("/") ? root.resolve(name.substring(1)) : folder.resolve(name);
    }

    /** The values of an option that may be repeated, such as {@code --add-exports}. */
    List<String> values(String option) {
        return options.stream()
                .filter(one -> one.startsWith(option + "="))
                .map(one -> one.substring(option.length() + 1))
                .toList();
    }
}
