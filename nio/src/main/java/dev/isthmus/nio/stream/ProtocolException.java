// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import java.io.IOException;

/** The peer has broken the protocol. The connection is reset, and the message says why. */
final class ProtocolException extends IOException {

    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message);
    }
}
