// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the kernel's files say about a machine.
 *
 * @param root where {@code sys}, {@code proc}, {@code dev} and {@code lib} are: {@code /}, or a folder with files that
 *     were captured elsewhere
 */
record KernelFiles(Path root) {

    /** A file's text, stripped; empty if it cannot be read, as happens with files of /sys. */
    String text(String path) {
        try {
            return Files.readString(root.resolve(path)).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** The names in a folder that match a pattern such as {@code uverbs*}, sorted; none if there is no folder. */
    List<String> names(String folder, String glob) {
        var names = new ArrayList<String>();
        try (var entries = Files.newDirectoryStream(root.resolve(folder), glob)) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        Collections.sort(names);
        return names;
    }

    boolean has(String path) {
        return Files.exists(root.resolve(path));
    }

    boolean mayUse(String path) {
        Path file = root.resolve(path);
        return Files.isReadable(file) && Files.isWritable(file);
    }

    /** Whether the kernel has a module: loaded, built in, or on the disk for this release. */
    boolean hasModule(String module) {
        String folder = "lib/modules/" + text("proc/sys/kernel/osrelease") + "/";
        Pattern file = Pattern.compile("/" + module.replace("_", "[_-]") + "\\.ko");
        return has("sys/module/" + module)
                || file.matcher(text(folder + "modules.dep")).find()
                || file.matcher(text(folder + "modules.builtin")).find();
    }

    /** The text of a pattern's first group, in a file; empty if there is none. */
    String find(String path, String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text(path));
        return matcher.find() ? matcher.group(1) : "";
    }

    /** A number of bytes, for people. */
    static String readable(long bytes) {
        if (bytes >= 1L << 30) {
            return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
        }
        return bytes >= 1L << 20 ? (bytes >> 20) + " MiB" : (bytes >> 10) + " KiB";
    }
}
