// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipException;

/** The jars and folders on a JVM's path, and those that their manifests name. */
final class ProgramClasses {

    private final List<Path> entries = new ArrayList<>();

    private ProgramClasses() {}

    /** The class path. */
    static ProgramClasses ofClassPath(RunningJvm jvm) throws IOException {
        var classes = new ProgramClasses();
        for (String entry : jvm.property("java.class.path").split(":", -1)) {
            classes.add(jvm.file(entry), new HashSet<>());
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
            classes.entries.add(path);
            if (Files.isDirectory(path)) {
                try (var inside = Files.newDirectoryStream(path)) {
                    inside.forEach(classes.entries::add);
                }
            }
        }
        return classes;
    }

    private void add(Path entry, Set<Path> seen) throws IOException {
        if (!seen.add(entry)) {
            return;
        }
        entries.add(entry);
        for (String more : attribute(entry, Attributes.Name.CLASS_PATH).split(" +", -1)) {
            if (!more.isEmpty() && !more.contains(":")) { // other URLs are not examined
                add(entry.resolveSibling(more).normalize(), seen);
            }
        }
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

    /** Whether a class is there; the name has slashes. */
    boolean has(String name) throws IOException {
        for (Path entry : entries) {
            if (Files.isDirectory(entry) ? Files.exists(entry.resolve(name + ".class")) : isInJar(entry, name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isInJar(Path jar, String name) throws IOException {
        if (!Files.isRegularFile(jar)) {
            return false;
        }
        try (var file = new JarFile(jar.toFile())) {
            return file.getEntry(name + ".class") != null;
        } catch (ZipException e) {
            return false;
        }
    }
}
