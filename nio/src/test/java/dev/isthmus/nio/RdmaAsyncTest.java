// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.net.InetAddress;
import java.nio.channels.spi.AsynchronousChannelProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Asynchronous channels over RDMA. */
@Tag("device")
@Tag("iwarp")
@Timeout(120)
class RdmaAsyncTest implements AsyncContract {

    private final AsynchronousChannelProvider provider = new RdmaAsynchronousChannelProvider();

    @Override
    public AsynchronousChannelProvider provider() {
        return provider;
    }

    @Override
    public InetAddress address() {
        return Hosts.far();
    }
}
