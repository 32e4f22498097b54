// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

/** The agent of this build, which need not be packaged. */
final class AgentJar {

    private AgentJar() {}

    /** An agent's jar whose manifest names the classes of this build. */
    static Path in(Path folder) throws IOException {
        var manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Premain-Class", Agent.class.getName());
        attributes.putValue(
                "Class-Path",
                Arrays.stream(System.getProperty("java.class.path").split(":", -1))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .collect(Collectors.joining(" ")));
        Path jar = folder.resolve("agent.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }
}
