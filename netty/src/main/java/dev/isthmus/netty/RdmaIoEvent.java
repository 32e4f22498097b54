// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import io.netty.channel.IoEvent;

/** What an {@link RdmaIoHandler} tells a channel. */
public enum RdmaIoEvent implements IoEvent {
    /** It may have become readable or writable, or have failed. */
    CHANGED
}
