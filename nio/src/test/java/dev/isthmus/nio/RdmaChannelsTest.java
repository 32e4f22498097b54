// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;

/** Channels over RDMA behave like the JDK's own. */
@Tag("device")
@Tag("iwarp")
class RdmaChannelsTest implements ConnectContract, CloseContract, DataContract, SocketContract {

    @Override
    public Transport transport() {
        return Transport.RDMA;
    }
}
