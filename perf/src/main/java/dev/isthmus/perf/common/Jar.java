// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.io.File;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Jars on the class path. */
public final class Jar {

    private Jar() {}

    /**
     * The version of a jar, by its name.
     *
     * @return the version; none if the jar is not on the class path
     */
    public static Optional<String> version(String name) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).getFileName())
                .filter(file -> file != null && file.toString().matches(name + "-[0-9].*\\.jar"))
                .map(file -> file.toString().replaceAll("^" + name + "-|\\.jar$", ""))
                .findFirst();
    }
}
