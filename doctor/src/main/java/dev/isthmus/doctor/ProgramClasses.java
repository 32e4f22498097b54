// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipException;

/** The jars and folders on a JVM's path, and those that their manifests name. */
final class ProgramClasses {

    private final List<URL> entries = new ArrayList<>();

    private ProgramClasses() {}

    /** The class path. */
    static ProgramClasses ofClassPath(RunningJvm jvm) throws IOException {
        var classes = new ProgramClasses();
        for (String entry : jvm.property("java.class.path").split(":", -1)) {
            classes.add(jvm.file(entry));
        }
        return classes;
    }

    /** The module path; its folders hold jars, or are modules themselves. */
    static ProgramClasses ofModulePath(RunningJvm jvm) throws IOException {
        var classes = new ProgramClasses();
        for (String entry : jvm.property("jdk.module.path").split(":", -1)) {
            if (entry.isEmpty()) {
                continue;
            }
            Path path = jvm.file(entry);
            classes.add(path);
            if (Files.isDirectory(path)) {
                try (var inside = Files.newDirectoryStream(path)) {
                    for (Path each : inside) {
                        classes.add(each);
                    }
                }
            }
        }
        return classes;
    }

    private void add(Path entry) throws IOException {
        entries.add(entry.toUri().toURL());
    }

    /** An attribute of a jar's manifest, or "". */
    static String attribute(Path jar, Attributes.Name name) throws IOException {
        if (!Files.isRegularFile(jar)) {
            return "";
        }
        try (var file = new JarFile(jar.toFile())) {
            Manifest manifest = file.getManifest();
            String value =
                    manifest == null ? null : manifest.getMainAttributes().getValue(name);
            return value == null ? "" : value;
        } catch (ZipException e) {
            return ""; // not a jar: the JVM ignores it, too
        }
    }

    /** Whether a class is there; the name has slashes. A class loader finds it as the JVM does, and loads nothing. */
    boolean has(String name) throws IOException {
        try (var loader = new URLClassLoader(entries.toArray(URL[]::new), null)) {
            return loader.findResource(name + ".class") != null;
        }
    }
}
