// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import io.netty.channel.IoHandle;

/** What an {@link RdmaIoHandler} serves: the channels of this package. */
public interface RdmaIoHandle extends IoHandle {

    @Override
    void close();

    /**
     * Has the device report what it has read of buffers that were written.
     *
     * @return whether it still holds some
     */
    boolean confirmHeld();
}
