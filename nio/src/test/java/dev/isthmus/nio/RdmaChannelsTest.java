// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Channels over RDMA behave like the JDK's own. */
@Tag("device")
@Tag("iwarp")
@Timeout(120)
class RdmaChannelsTest implements ConnectContract, CloseContract, DataContract, SocketContract {

    @Override
    public Transport transport() {
        return Transport.RDMA;
    }
}
