// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The release of a library's headers, according to their file for pkg-config.
 *
 * @param library the library's name for pkg-config
 * @param version the release according to pkg-config
 */
public record HeaderRelease(String library, String version) {

    private static final String VERSION_LINE = "Version:";

    /** Whether this machine's headers are of a later release; false if that is unknown. */
    boolean isBeforeThisMachines() {
        return onThisMachine()
                .filter(found -> Version.parse(found).compareTo(Version.parse(version)) > 0)
                .isPresent();
    }

    // /usr/lib/x86_64-linux-gnu on Debian, /usr/lib64 elsewhere.
    private Optional<String> onThisMachine() {
        try (Stream<Path> usr = Files.list(Path.of("/usr"));
                Stream<Path> lib = Files.list(Path.of("/usr/lib"))) {
            Optional<Path> file = Stream.concat(usr, lib)
                    .map(folder -> folder.resolve("pkgconfig").resolve(library + ".pc"))
                    .filter(Files::isReadable)
                    .findFirst();
            return file.isPresent() ? Optional.of(version(file.get())) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String version(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(VERSION_LINE))
                    .map(line -> line.substring(VERSION_LINE.length()).strip())
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(file + " tells no version"));
        }
    }
}
