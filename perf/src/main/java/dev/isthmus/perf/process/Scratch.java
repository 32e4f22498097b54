// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import dev.isthmus.perf.common.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A folder that exists as long as a command runs. When a signal ends the JVM, it waits until the command has removed
 * the folder.
 */
public final class Scratch implements AutoCloseable {

    private final TemporaryFolder folder;
    private final Stopping stopping = new Stopping();
    private boolean kept;

    /** Creates a folder whose name begins with a prefix. */
    public Scratch(String prefix) throws IOException {
        folder = new TemporaryFolder(prefix);
    }

    /** The folder. */
    public Path folder() {
        return folder.path();
    }

    /** Keeps the folder for the user to read, unless a signal ends the command. */
    public void keep() {
        kept = true;
    }

    @Override
    public void close() throws IOException {
        try (stopping) {
            if (!kept || Stopping.hasBegun()) {
                folder.close();
            }
        }
    }
}
