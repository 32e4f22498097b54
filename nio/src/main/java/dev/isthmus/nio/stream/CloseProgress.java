// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/** How far the close of a stream has come. */
enum CloseProgress {
    /** Something that was written, or the disconnect message, is not sent yet. */
    SENDING,
    /** Everything is sent, but the peer may not have it yet. */
    SENT,
    /** There is nothing left to wait for. */
    OVER
}
