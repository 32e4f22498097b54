// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;

/** Channels that use RDMA because a rule says so are selected like the JDK's. */
@Tag("device")
@Tag("iwarp")
class SwitchedSelectorsTest implements ReadyContract, SelectorContract {

    private final RdmaSelectorProvider provider = new RdmaSelectorProvider();

    @Override
    public Transport transport() {
        return Transport.of(provider::openSocketChannel, provider::openServerSocketChannel, Transport.RDMA);
    }
}
