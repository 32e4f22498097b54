// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.util.List;
import org.junit.jupiter.api.Tag;

/** Channels that can use RDMA, but use TCP because no rule says otherwise, behave like the JDK's. */
@Tag("unit")
class SwitchedTcpChannelsTest implements ConnectContract, CloseContract, DataContract, SocketContract {

    private final RdmaSelectorProvider provider =
            new RdmaSelectorProvider(JdkProvider.get(), Rules.of("none", List.of()));

    @Override
    public Transport transport() {
        return Transport.of(
                () -> new SwitchedSocketChannel(provider, null),
                () -> new SwitchedServerSocketChannel(provider, null),
                Transport.TCP);
    }
}
