// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import io.netty.channel.IoOps;

/** What a channel asks of its {@link RdmaIoHandler}. */
public enum RdmaIoOps implements IoOps {
    /** An event in the next turn, whether something has arrived or not. */
    AGAIN
}
