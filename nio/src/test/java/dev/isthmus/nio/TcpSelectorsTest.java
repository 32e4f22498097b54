// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;

/** The JDK's own selector meets the expectations for that over RDMA: a test that expects something else fails here. */
@Tag("unit")
class TcpSelectorsTest implements ReadyContract, SelectorContract {

    @Override
    public Transport transport() {
        return Transport.TCP;
    }
}
