// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;

/** The channels that a provider opens behave like the JDK's when they use RDMA, which they do without any rule. */
@Tag("device")
@Tag("iwarp")
class SwitchedRdmaChannelsTest implements ConnectContract, CloseContract, DataContract, SocketContract {

    private final RdmaSelectorProvider provider = new RdmaSelectorProvider();

    @Override
    public Transport transport() {
        return Transport.of(provider::openSocketChannel, provider::openServerSocketChannel, Transport.RDMA);
    }
}
