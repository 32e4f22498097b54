// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;

/** The selector of channels over RDMA behaves like the JDK's own. */
@Tag("device")
@Tag("iwarp")
class RdmaSelectorsTest implements ReadyContract, SelectorContract {

    @Override
    public Transport transport() {
        return Transport.RDMA;
    }
}
