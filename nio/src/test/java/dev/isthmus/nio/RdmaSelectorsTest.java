// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The selector of channels over RDMA behaves like the JDK's own. */
@Tag("device")
@Tag("iwarp")
@Timeout(120)
class RdmaSelectorsTest implements ReadyContract, SelectorContract {

    @Override
    public Transport transport() {
        return Transport.RDMA;
    }
}
