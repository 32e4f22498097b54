// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools;

import java.io.IOException;

/**
 * The exchange with the other end of a test failed: there is no peer, the peer is silent, or it does not speak
 * perftest's protocol. The message is one line that names the peer and what to do.
 */
public final class PerftestException extends IOException {

    private static final long serialVersionUID = 1L;

    public PerftestException(String message) {
        super(message);
    }

    public PerftestException(String message, Throwable cause) {
        super(message, cause);
    }
}
