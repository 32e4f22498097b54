// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Soft-RoCE devices, whose network interfaces belong to the testbed: tests may take them down and up. */
final class SoftRoce {

    private SoftRoce() {}

    static boolean is(Device device) {
        return Files.exists(sysfs(device).resolve("parent"));
    }

    /** Takes the interface of a device down or up, as root. */
    static void link(Device device, String state) throws IOException, InterruptedException {
        ip("link", "set", netdev(device), state);
    }

    /** Adds an address to the interface of a device or deletes it, as root. */
    static void address(Device device, String action, String address) throws IOException, InterruptedException {
        ip("address", action, address, "dev", netdev(device));
    }

    private static String netdev(Device device) throws IOException {
        return Files.readString(sysfs(device).resolve("parent")).strip();
    }

    private static Path sysfs(Device device) {
        return Path.of("/sys/class/infiniband", device.name());
    }

    private static void ip(String... arguments) throws IOException, InterruptedException {
        String[] command = new String[arguments.length + 1];
        command[0] = "ip";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(String.join(" ", command) + ": " + said);
        }
    }
}
