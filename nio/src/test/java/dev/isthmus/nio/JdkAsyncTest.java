// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.net.InetAddress;
import java.nio.channels.spi.AsynchronousChannelProvider;
import org.junit.jupiter.api.Tag;

/** The JDK's own asynchronous channels meet the same expectations as those of this package. */
@Tag("unit")
class JdkAsyncTest implements AsyncContract {

    private final AsynchronousChannelProvider provider = AsynchronousChannelProvider.provider();

    @Override
    public AsynchronousChannelProvider provider() {
        return provider;
    }

    @Override
    public InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }
}
