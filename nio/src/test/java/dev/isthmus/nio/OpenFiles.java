// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All the files that this process may still open, until it is closed. For a process of its own with a low limit. */
public final class OpenFiles implements AutoCloseable {

    private final List<FileInputStream> files = new ArrayList<>();

    private OpenFiles() {}

    /**
     * Opens none.
     *
     * @return nothing to close
     */
    public static OpenFiles none() {
        return new OpenFiles();
    }

    /**
     * Opens them.
     *
     * @return what keeps them open
     */
    public static OpenFiles all() {
        var all = new OpenFiles();
        try {
            while (true) {
                all.files.add(new FileInputStream("/dev/null"));
            }
        } catch (FileNotFoundException e) {
            if (!e.getMessage().contains("Too many open files")) {
                throw new AssertionError(e);
            }
            return all;
        }
    }

    @Override
    public void close() throws IOException {
        for (FileInputStream each : files) {
            each.close();
        }
    }
}
