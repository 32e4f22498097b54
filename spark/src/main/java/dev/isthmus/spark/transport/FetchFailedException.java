// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.io.IOException;

/** A block did not arrive: its peer is gone, cannot read it, or was silent for too long. */
public final class FetchFailedException extends IOException {

    private static final long serialVersionUID = 1;

    FetchFailedException(String message) {
        super(message);
    }
}
