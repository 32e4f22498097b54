// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.net.InetAddress;
import java.nio.channels.spi.AsynchronousChannelProvider;
import org.junit.jupiter.api.Tag;

/** Asynchronous channels over RDMA. */
@Tag("device")
@Tag("iwarp")
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
