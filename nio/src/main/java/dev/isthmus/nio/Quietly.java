// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** Closes what is no longer wanted, so that failures can only go to the log. */
final class Quietly {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");

    private Quietly() {}

    static void close(Closeable unwanted) {
        try {
            unwanted.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, () -> unwanted + " cannot be closed", e);
        }
    }
}
