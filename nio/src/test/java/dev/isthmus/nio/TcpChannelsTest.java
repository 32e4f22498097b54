// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;

/** The JDK's own channels meet the expectations for those over RDMA: a test that expects something else fails here. */
@Tag("unit")
class TcpChannelsTest implements ConnectContract, CloseContract, DataContract, SocketContract {

    @Override
    public Transport transport() {
        return Transport.TCP;
    }
}
