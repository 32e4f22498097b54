// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.net.InetAddress;
import java.nio.channels.spi.AsynchronousChannelProvider;
import org.junit.jupiter.api.Tag;

/** Asynchronous channels of this package, over the JDK's channels. */
@Tag("unit")
class TcpAsyncTest implements AsyncContract {

    private final AsynchronousChannelProvider provider = new RdmaAsynchronousChannelProvider(JdkProvider.get());

    @Override
    public AsynchronousChannelProvider provider() {
        return provider;
    }

    @Override
    public InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }
}
