// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** That channels which go by RDMA because the rules say so are selected as the JDK's are. */
@Tag("device")
@Tag("iwarp")
@Timeout(120)
class SwitchedSelectorsTest implements ReadyContract, SelectorContract {

    private final RdmaSelectorProvider provider = new RdmaSelectorProvider();

    @Override
    public Transport transport() {
        return Transport.of(provider::openSocketChannel, provider::openServerSocketChannel, Transport.RDMA);
    }
}
